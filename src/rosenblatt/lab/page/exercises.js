/** One exercise: posed anew from a seed as often as the reader likes, and checked by Python. */

import { ask, Refused } from "./api.js";
import { h } from "./dom.js";

/** @import { Exercise, LessonStep } from "./types.js" */
/** @import { LessonPanel } from "./lessons.js" */

const SEEDS = 1_000_000;

export class ExerciseView {
  /** @param {LessonPanel} panel @param {Exercise} task */
  constructor(panel, task) {
    this.panel = panel;
    this.task = task;
  }

  async pose() {
    const seed = Math.floor(Math.random() * SEEDS);
    try {
      this.show(await ask("/api/pose", { exercise: this.task.id, seed }), seed);
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw error;
      }
      this.panel.lab.status.refuse(error.message);
    }
  }

  /** @param {LessonStep} posed @param {number} seed */
  show(posed, seed) {
    const { panel, task } = this;
    const words = posed.say.map((text) => h("p", { class: "say" }, text));
    const another = h("button", { type: "button", onclick: () => void this.pose() }, "Another one");
    const form = posed.ask ? [panel.form(posed.ask, { exercise: task.id, seed }, () => another.classList.add("primary"))] : [];
    const turns = h(
      "div",
      { class: "row turns" },
      another,
      h("button", { type: "button", class: "quiet", onclick: () => panel.list() }, "All lessons"),
    );
    panel.lab.hand.take({ line: [], tool: "point" });
    panel.show(task.title, "Exercise", ...words, ...form, turns);
    panel.laboratory.setUp({ ...posed, locked: true });
    panel.watchLine(posed.ask);
  }
}
