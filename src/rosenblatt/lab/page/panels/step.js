/** The step panel: the number of the step, its score, its update, and a sentence that explains it. */

import { h, set, write } from "../base/dom.js";

/** @import { Frame, Run } from "../base/types.js" */

const KINDS = { start: "start", right: "right", update: "update", mistake: "mistake", step: "step" };

const [MIN_HEIGHT, MAX_HEIGHT] = [192, 320]; // pixels of the step text; a longer text scrolls

export class StepPanel {
  /** @param {() => void} more requests more steps of a run that was cut off */
  constructor(more) {
    this.head = h("p", { class: "step-head" });
    this.badge = h("span", { class: "badge" });
    this.score = h("p", { class: "formula score" });
    this.formula = h("p", { class: "formula update" });
    this.sentence = h("p", { class: "sentence", "aria-live": "polite" });
    this.outcome = h("p", { class: "outcome" });
    this.more = h("button", { type: "button", onclick: more }, "Show more steps");
    const top = h("div", { class: "step-top" }, this.head, this.badge);
    this.element = h("div", { class: "step" }, top, this.score, this.formula, this.sentence, this.outcome, this.more);
    /** @type {Run | null} */
    this.run = null;
    this.kind = ""; // the algorithm, classes and width for which the height was set
  }

  /**
   * Sets the height for the longest step of a run, so that the panels below do not move from step to step. The height
   * stays until the algorithm, the number of classes or the width changes.
   *
   * @param {Run} run
   */
  reserve(run) {
    /** @param {(frame: Frame) => string} text @returns {string} */
    const longest = (text) => run.frames.map(text).reduce((best, one) => (one.length > best.length ? one : best), "");
    write(this.score, longest((frame) => frame.score));
    write(this.formula, longest((frame) => frame.formula));
    write(this.sentence, longest((frame) => frame.sentence));
    write(this.outcome, run.outcome.text);
    set(this.element, { "data-kind": "update" });
    set(this.more, { hidden: !run.cut });
    this.element.style.setProperty("height", "auto");
    const height = Math.max(MIN_HEIGHT, Math.min(this.element.scrollHeight, MAX_HEIGHT));
    this.element.style.setProperty("height", `${height}px`);
  }

  /** @param {Run} run @param {Frame} frame @param {{last: boolean, playing: boolean, questionOpen: boolean}} how */
  show(run, frame, { last, playing, questionOpen }) {
    const width = this.element.clientWidth;
    const kind = `${run.title.split("(")[0]} ${run.columns.length} ${width}`;
    if (run !== this.run) {
      this.run = run;
      set(this.score, { hidden: run.frames.every((one) => one.score === "") });
      set(this.formula, { hidden: run.frames.every((one) => one.formula === "") });
    }
    if (width > 0 && kind !== this.kind) {
      this.kind = kind;
      this.reserve(run);
    }
    set(this.sentence, { "aria-live": playing ? "off" : "polite" });
    set(this.element, { "data-kind": frame.kind });
    write(this.head, questionOpen ? frame.head.replace(/ of \d+(,\d{3})*/, "") : frame.head);
    write(this.badge, frame.kind === "step" || frame.kind === "start" ? "" : KINDS[frame.kind]);
    write(this.score, frame.score);
    write(this.formula, frame.formula);
    write(this.sentence, frame.sentence);
    write(this.outcome, last ? run.outcome.text : "");
    set(this.outcome, { "data-kind": run.outcome.kind });
    set(this.more, { hidden: !(run.cut && last) });
  }

  /** @param {string} sentence */
  showError(sentence) {
    set(this.element, { "data-kind": "refusal" });
    for (const line of [this.head, this.badge, this.score, this.formula, this.outcome]) {
      write(line, "");
    }
    write(this.sentence, sentence);
    set(this.more, { hidden: true });
  }
}
