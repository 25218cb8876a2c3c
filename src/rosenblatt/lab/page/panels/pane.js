/** A pane: one algorithm on the points, with its plane, options, step text, table and chart. */

import { AlgorithmPanel } from "./algorithm.js";
import { LatestRequest } from "../base/api.js";
import { Chart } from "./chart.js";
import { h, set, write } from "../base/dom.js";
import { PointerEditing } from "../plane/editing.js";
import { Ellipses } from "../plane/gaussians.js";
import { PlaneKeys } from "../plane/keys.js";
import { Legend } from "../plane/legend.js";
import { panel } from "./panel.js";
import { Plane } from "../plane/plane.js";
import { StepPanel } from "./step.js";
import { presentClasses } from "../board/store.js";
import { Table } from "./table.js";

/** @import { Board, Run, Shape } from "../base/types.js" */
/** @import { Lab } from "../lab.js" */

/** @type {Shape[]} */
const NO_SHAPES = [];
/** @type {number[]} */
const NO_POINTS = [];
const ADD_POINTS = "There are no points yet. Press on the plane to add points, or choose Data.";
const ADD_ANYTHING = "The plane is empty. Draw Gaussians with the ellipse tool, add points, or choose Data.";
const ADD_CLASS = "Everything on the plane has the same class. Choose another class in the tool bar, and add something of it.";

export class Pane {
  /**
   * @param {number} number
   * @param {Lab} lab
   * @param {{go: (step: number) => void, changed: () => void, wide: boolean}} page
   */
  constructor(number, { store, selection, changes, status, catalogue }, { go, changed, wide }) {
    this.number = number;
    /** @type {Run | null} */
    this.run = null;
    /** @type {number[]} */
    this.currentPoint = NO_POINTS;
    this.plane = new Plane(number);
    this.ellipses = new Ellipses(this.plane);
    this.plane.onRescale.push(() => this.ellipses.draw(store.board));
    this.editing = new PointerEditing(this.plane, selection, changes);
    this.keys = new PlaneKeys(this.plane, selection, changes, status.say);
    this.algorithm = new AlgorithmPanel(number, catalogue, store, status.showError);
    this.step = new StepPanel(() => this.ask(store.board, catalogue.limits.steps));
    this.table = new Table(go);
    this.chart = new Chart(go);
    this.caption = h("figcaption", {});
    this.legend = new Legend(this.plane.id);
    this.figure = h("figure", { class: "pane-figure" }, this.caption, this.plane.element, this.legend.element);
    this.panels = h(
      "div",
      { class: "pane-panels", role: "group", "aria-label": number === 0 ? "First run" : "Second run" },
      this.algorithm.element,
      panel("Step", true, this.step.element),
      panel("Table", wide, this.table.element),
      panel("Chart", wide, this.chart.element),
    );
    this.changed = changed;
    this.request = new LatestRequest("/api/run", {
      onAnswer: (run) => {
        this.run = run;
        changed();
      },
      onRefused: (sentence) => this.showError(sentence),
      onSlow: status.setSlow,
      retry: true,
    });
  }

  /** Clears the run and shows a sentence that says why there is none. @param {string} sentence */
  showError(sentence) {
    this.run = null;
    this.step.showError(sentence);
    this.table.clear();
    this.chart.show(null, 0, 0);
    this.changed();
  }

  /** Requests the run. @param {Board} board @param {number} [steps] maximum number of steps; the server has a default */
  ask(board, steps) {
    const { classes, needs } = this.algorithm.current();
    const count = presentClasses(board, needs).length;
    if (needs !== "nothing" && count < Math.min(classes[0], 2)) {
      this.request.stop();
      this.showError(count > 0 ? ADD_CLASS : needs === "points" ? ADD_POINTS : ADD_ANYTHING);
    } else {
      this.request.ask({ board, pane: this.number, ...(steps ? { steps } : {}) });
    }
  }

  /** The number of the last step. */
  get last() {
    return (this.run?.frames.length ?? 1) - 1;
  }

  /**
   * @param {Board} board
   * @param {{proof: Shape[], selected: number | null, playing: boolean, questionOpen: boolean}} also
   */
  show(board, { proof, selected, playing, questionOpen }) {
    const { run } = this;
    const now = Math.min(board.step, this.last);
    const frame = run?.frames[now];
    const current = frame?.points ?? (typeof frame?.point === "number" ? this.listOf(frame.point) : NO_POINTS);
    const ground = run?.grounds?.[frame?.ground ?? -1] ?? NO_SHAPES;
    this.plane.draw({ board, ground, shapes: frame?.shapes ?? NO_SHAPES, proof, current, selected });
    this.legend.show(run, proof);
    this.ellipses.draw(board);
    this.algorithm.show(board);
    if (run && frame) {
      this.plane.showAxes(run);
      write(this.caption, this.algorithm.words);
      set(this.caption, { title: run.title });
      this.step.show(run, frame, { last: now === this.last, playing, questionOpen });
      this.table.show(run, now);
      this.chart.show(run.chart, now, this.last);
      set(this.chart.element, { "data-empty": run.chart === null });
    }
  }

  /** A list of one point. The same point gives the same list, so that its ring is not drawn again. @param {number} point */
  listOf(point) {
    if (this.currentPoint[0] !== point) {
      this.currentPoint = [point];
    }
    return this.currentPoint;
  }
}
