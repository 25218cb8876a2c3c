/** One algorithm on the points: its plane, its choice, its step in words, its table and its chart. */

import { AlgorithmPanel } from "./algorithm.js";
import { Latest } from "../base/api.js";
import { Chart } from "./chart.js";
import { h, set, write } from "../base/dom.js";
import { Editing } from "../plane/editing.js";
import { Ellipses } from "../plane/gaussians.js";
import { Keys } from "../plane/keys.js";
import { Legend } from "../plane/legend.js";
import { panel } from "./panels.js";
import { Plane } from "../plane/plane.js";
import { StepPanel } from "./step.js";
import { present } from "../board/store.js";
import { Table } from "./table.js";

/** @import { Board, Catalogue, Run, Shape } from "../base/types.js" */
/** @import { Changes } from "../board/changes.js" */
/** @import { Hand } from "../board/selection.js" */
/** @import { Status } from "../base/status.js" */
/** @import { Store } from "../board/store.js" */

/** @typedef {{store: Store, hand: Hand, changes: Changes, status: Status, catalogue: Catalogue}} Lab */

/** @type {Shape[]} */
const NOTHING = [];
/** @type {number[]} */
const NOBODY = [];
const EMPTY = "There are no points yet. Press on the plane to put some there, or choose Data.";
const BARE = "There is nothing on the plane yet. Draw Gaussians with the ellipse tool, or put points there, or choose Data.";
const ALONE = "All that is on the plane is of one class. Choose another class in the tool bar, and put some of it there.";

export class Pane {
  /**
   * @param {number} number
   * @param {Lab} lab
   * @param {{go: (step: number) => void, changed: () => void, wide: boolean}} page
   */
  constructor(number, { store, hand, changes, status, catalogue }, { go, changed, wide }) {
    this.number = number;
    /** @type {Run | null} */
    this.run = null;
    /** @type {number[]} */
    this.ringed = NOBODY;
    this.plane = new Plane(number);
    this.ellipses = new Ellipses(this.plane);
    this.plane.whenScaled.push(() => this.ellipses.draw(store.board));
    this.editing = new Editing(this.plane, hand, changes);
    this.keys = new Keys(this.plane, hand, changes, status.say);
    this.algorithm = new AlgorithmPanel(number, catalogue, store, status.refuse);
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
    this.latest = new Latest("/api/run", {
      answer: (run) => {
        this.run = run;
        changed();
      },
      refuse: (sentence) => this.refuse(sentence),
      wait: status.wait,
      patient: true,
    });
  }

  /** There is no run; a sentence says why. @param {string} sentence */
  refuse(sentence) {
    this.run = null;
    this.step.refuse(sentence);
    this.table.clear();
    this.chart.show(null, 0, 0);
    this.changed();
  }

  /** @param {Board} board @param {number} [steps] at most; the server has a number of its own */
  ask(board, steps) {
    const { classes, needs } = this.algorithm.current();
    const many = present(board, needs).length;
    if (needs !== "nothing" && many < Math.min(classes[0], 2)) {
      this.latest.stop();
      this.refuse(many > 0 ? ALONE : needs === "points" ? EMPTY : BARE);
    } else {
      this.latest.ask({ board, pane: this.number, ...(steps ? { steps } : {}) });
    }
  }

  get last() {
    return (this.run?.frames.length ?? 1) - 1;
  }

  /**
   * @param {Board} board
   * @param {{proof: Shape[], selected: number | null, playing: boolean, secret: boolean}} also
   */
  show(board, { proof, selected, playing, secret }) {
    const { run } = this;
    const now = Math.min(board.step, this.last);
    const frame = run?.frames[now];
    const asked = frame?.points ?? (typeof frame?.point === "number" ? this.one(frame.point) : NOBODY);
    const ground = run?.grounds?.[frame?.ground ?? -1] ?? NOTHING;
    this.plane.draw({ board, ground, shapes: frame?.shapes ?? NOTHING, proof, asked, selected });
    this.legend.show(run, proof);
    this.ellipses.draw(board);
    this.algorithm.show(board);
    if (run && frame) {
      this.plane.showAxes(run);
      write(this.caption, this.algorithm.words);
      set(this.caption, { title: run.title });
      this.step.show(run, frame, { last: now === this.last, playing, secret });
      this.table.show(run, now);
      this.chart.show(run.chart, now, this.last);
      set(this.chart.element, { "data-empty": run.chart === null });
    }
  }

  /** The same list for the same point, so that its ring is not drawn again. @param {number} point */
  one(point) {
    if (this.ringed[0] !== point) {
      this.ringed = [point];
    }
    return this.ringed;
  }
}
