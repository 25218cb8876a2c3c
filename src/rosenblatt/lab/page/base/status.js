/** The line that says what is going on: sentences, refusals, and work that can be stopped. */

import { part, write } from "./dom.js";

const STAY = 8000; // milliseconds that a sentence stays
const LONG = 2500; // milliseconds after which waiting is explained

export class Status {
  constructor() {
    this.line = part("status");
    this.words = part("status-words");
    this.stopper = /** @type {HTMLButtonElement} */ (part("stop"));
    /** @type {Set<{stop: () => void}>} */
    this.slow = new Set();
    /** @type {number | undefined} */
    this.timer = undefined;
    this.stopper.addEventListener("click", () => this.stop());
    this.say = this.say.bind(this);
    this.refuse = this.refuse.bind(this);
    this.wait = this.wait.bind(this);
  }

  /** @param {string} sentence */
  say(sentence) {
    this.tell(sentence, "note");
  }

  /** @param {string} sentence */
  refuse(sentence) {
    this.tell(sentence, "refusal");
  }

  /** What was refused before is past. */
  forget() {
    if (this.line.dataset.kind === "refusal") {
      this.tell("", "note");
    }
  }

  /** @param {string} sentence @param {string} kind */
  tell(sentence, kind) {
    clearTimeout(this.timer);
    this.line.dataset.kind = kind;
    write(this.words, sentence);
    this.timer = setTimeout(() => this.tell("", "note"), STAY);
  }

  /** @param {{stop: () => void}} work @param {boolean} slow */
  wait(work, slow) {
    const before = this.slow.size;
    if (slow) {
      this.slow.add(work);
    } else {
      this.slow.delete(work);
    }
    this.stopper.hidden = this.slow.size === 0;
    if (this.slow.size > before) {
      clearTimeout(this.timer);
      this.line.dataset.kind = "work";
      write(this.words, "Working");
      this.timer = setTimeout(() => write(this.words, "Working. The first time, Python compiles this, which takes some seconds."), LONG);
    } else if (before > 0 && this.slow.size === 0 && this.line.dataset.kind === "work") {
      this.tell("", "note");
    }
  }

  stop() {
    for (const work of [...this.slow]) {
      work.stop();
    }
    this.say("Stopped. The next change, or the same button, asks again.");
  }
}
