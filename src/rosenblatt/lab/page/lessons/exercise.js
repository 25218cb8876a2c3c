/** One exercise: posed anew from a seed as often as the reader likes, and checked by Python. */

import { ask, Refused } from "../base/api.js";
import { h } from "../base/dom.js";

/** @import { Exercise, LessonStep } from "../base/types.js" */
/** @import { LessonPanel } from "./lessons.js" */

const MANY = 1000; // numbers that are drawn; any may be typed
const MOST = 999_999;

export class ExerciseView {
  /** @param {LessonPanel} panel @param {Exercise} task */
  constructor(panel, task) {
    this.panel = panel;
    this.task = task;
  }

  another() {
    return this.pose(1 + Math.floor(Math.random() * MANY));
  }

  /** @param {number} seed */
  async pose(seed) {
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
    const another = h("button", { type: "button", onclick: () => void this.another() }, "Another one");
    const number = h("input", { type: "number", min: 0, max: MOST, step: 1, value: seed, "aria-label": "Number of the exercise" });
    number.addEventListener("change", () => void this.pose(number.checkValidity() ? number.valueAsNumber || 0 : seed));
    const form = posed.ask ? [panel.form(posed.ask, { exercise: task.id, seed }, () => another.classList.add("primary"))] : [];
    const turns = h(
      "div",
      { class: "row turns" },
      another,
      h("label", { class: "check number" }, "number", number),
      h("button", { type: "button", class: "quiet", onclick: () => panel.list() }, "All lessons"),
    );
    panel.lab.hand.take({ line: [], tool: "point" });
    panel.show(task.title, "Exercise", ...words, ...form, turns);
    panel.laboratory.setUp({ ...posed, locked: true });
    panel.address(`#exercise=${task.id}.${seed}`);
    panel.watchLine(posed.ask);
  }
}
