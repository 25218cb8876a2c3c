/** The status line: messages, errors, and slow work that the reader can stop. */

import { part, write } from "./dom.js";

const MESSAGE_TIME = 8000; // milliseconds that a message stays
const EXPLAIN_AFTER = 2500; // milliseconds after which the line explains why work is slow

export class Status {
  constructor() {
    this.line = part("status");
    this.words = part("status-words");
    this.stopButton = /** @type {HTMLButtonElement} */ (part("stop"));
    /** @type {Set<{stop: () => void}>} */
    this.slow = new Set();
    /** @type {number | undefined} */
    this.timer = undefined;
    this.stopButton.addEventListener("click", () => this.stop());
    this.say = this.say.bind(this);
    this.showError = this.showError.bind(this);
    this.setSlow = this.setSlow.bind(this);
  }

  /** @param {string} sentence */
  say(sentence) {
    this.show(sentence, "note");
  }

  /** @param {string} sentence */
  showError(sentence) {
    this.show(sentence, "refusal");
  }

  /** Removes an error from the line. Other messages stay. */
  clearError() {
    if (this.line.dataset.kind === "refusal") {
      this.show("", "note");
    }
  }

  /** @param {string} sentence @param {string} kind */
  show(sentence, kind) {
    clearTimeout(this.timer);
    this.line.dataset.kind = kind;
    write(this.words, sentence);
    this.timer = setTimeout(() => this.show("", "note"), MESSAGE_TIME);
  }

  /** Adds work to the slow work, or removes it. @param {{stop: () => void}} work @param {boolean} slow */
  setSlow(work, slow) {
    const before = this.slow.size;
    if (slow) {
      this.slow.add(work);
    } else {
      this.slow.delete(work);
    }
    this.stopButton.hidden = this.slow.size === 0;
    if (this.slow.size > before) {
      clearTimeout(this.timer);
      this.line.dataset.kind = "work";
      write(this.words, "Working");
      const reason = "Working. The first time takes some seconds, because Python compiles the code.";
      this.timer = setTimeout(() => write(this.words, reason), EXPLAIN_AFTER);
    } else if (before > 0 && this.slow.size === 0 && this.line.dataset.kind === "work") {
      this.show("", "note");
    }
  }

  stop() {
    for (const work of [...this.slow]) {
      work.stop();
    }
    this.say("Stopped. Change something, or press the same button, to start again.");
  }
}
