/** The status line: messages, errors, what Python prepares, and slow work that the reader can stop. */

import { ask } from "./api.js";
import { part, write } from "./dom.js";

const MESSAGE_TIME = 8000; // milliseconds that a message stays
const WATCH_INTERVAL = 400; // milliseconds between two questions what Python loads or compiles

/** @typedef {{ready: boolean, doing: string}} PythonState */

/** @type {PythonState} */
const READY = { ready: true, doing: "" };

export class Status {
  constructor() {
    this.line = part("status");
    this.words = part("status-words");
    this.stopButton = /** @type {HTMLButtonElement} */ (part("stop"));
    /** @type {Set<{stop: () => void}>} */
    this.slow = new Set();
    /** @type {number | undefined} */
    this.timer = undefined;
    this.python = READY;
    this.watching = false;
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
      this.line.dataset.kind = "work";
      void this.watch();
    }
    this.showWork();
  }

  /** Asks the server what Python loads or compiles, again and again, until Python is ready and nothing is slow. */
  async watch() {
    if (this.watching) {
      return;
    }
    this.watching = true;
    do {
      this.python = await ask("/api/state").catch(() => READY); // without a server, the request itself says what is wrong
      this.showWork();
      await new Promise((resolve) => setTimeout(resolve, WATCH_INTERVAL));
    } while (!this.python.ready || this.slow.size > 0);
    this.watching = false;
  }

  /** Says that Python is getting ready or works, and what it loads or compiles. A message stays for its time. */
  showWork() {
    const { ready, doing } = this.python;
    const working = !ready || this.slow.size > 0;
    const shown = this.line.dataset.kind === "work";
    if (working && (shown || this.words.textContent === "")) {
      clearTimeout(this.timer);
      this.line.dataset.kind = "work";
      const head = ready ? "Working" : "Python is getting ready";
      write(this.words, doing ? `${head}: ${doing}.` : head);
    } else if (!working && shown) {
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
