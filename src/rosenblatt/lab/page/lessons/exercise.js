/** The view of one exercise. Python makes the exercise from a seed and checks the answers. */

import { ask, RefusedError } from "../base/api.js";
import { h } from "../base/dom.js";

/** @import { Exercise, LessonStep } from "../base/types.js" */
/** @import { LessonPanel } from "./lesson_panel.js" */

const MAX_DRAWN_SEED = 1000; // a random exercise has a seed from 1 to this
const MAX_SEED = 999_999; // the reader may type any seed up to this

export class ExerciseView {
  /** @param {LessonPanel} panel @param {Exercise} exercise */
  constructor(panel, exercise) {
    this.panel = panel;
    this.exercise = exercise;
  }

  /** Shows an exercise with a random seed. */
  another() {
    return this.pose(1 + Math.floor(Math.random() * MAX_DRAWN_SEED));
  }

  /** Shows the exercise of a seed. @param {number} seed */
  async pose(seed) {
    try {
      this.show(await ask("/api/pose", { exercise: this.exercise.id, seed }), seed);
    } catch (error) {
      if (!(error instanceof RefusedError)) {
        throw error;
      }
      this.panel.lab.status.showError(error.message);
    }
  }

  /** @param {LessonStep} posed @param {number} seed */
  show(posed, seed) {
    const { panel, exercise } = this;
    const words = posed.say.map((text) => h("p", { class: "say" }, text));
    const another = h("button", { type: "button", onclick: () => void this.another() }, "New exercise");
    const number = h("input", { type: "number", min: 0, max: MAX_SEED, step: 1, value: seed, "aria-label": "Number of the exercise" });
    number.addEventListener("change", () => void this.pose(number.checkValidity() ? number.valueAsNumber || 0 : seed));
    const form = posed.ask ? [panel.form(posed.ask, { exercise: exercise.id, seed }, () => another.classList.add("primary"))] : [];
    const buttons = h(
      "div",
      { class: "row turns" },
      another,
      h("label", { class: "check number" }, "number", number),
      h("button", { type: "button", class: "quiet", onclick: () => panel.list() }, "All lessons"),
    );
    panel.lab.selection.update({ line: [], tool: "point" });
    panel.show(exercise.title, "Exercise", ...words, ...form, buttons);
    panel.page.setUp({ ...posed, locked: true });
    panel.setAddress(`#exercise=${exercise.id}.${seed}`);
    panel.chooseLineTool(posed.ask);
  }
}
