/** The tool bar: tools, class of new points, zoom. */

import { ask, RefusedError } from "../base/api.js";
import { h, set } from "../base/dom.js";
import { icon } from "../base/icons.js";
import { swatch } from "../plane/point_marks.js";

/** @import { Board, Catalogue } from "../base/types.js" */
/** @import { Changes } from "../board/changes.js" */
/** @import { Selection, Tool } from "../board/selection.js" */
/** @import { Status } from "../base/status.js" */

/** @type {[Tool, string, string][]} */
const TOOLS = [
  ["point", "add", "Add and move points"],
  ["move", "move", "Move points and the view"],
  ["paint", "paint", "Paint many points"],
  ["erase", "erase", "Erase points"],
  ["ellipse", "ellipse", "Draw Gaussians as ellipses"],
  ["line", "line", "Draw a line"],
];

export class ToolBar {
  /**
   * @param {Selection} selection
   * @param {Changes} changes
   * @param {Catalogue} catalogue
   * @param {Status} status
   * @param {() => void} editClasses
   */
  constructor(selection, changes, catalogue, status, editClasses) {
    this.selection = selection;
    this.changes = changes;
    this.catalogue = catalogue;
    this.status = status;
    /** @type {Map<Tool, HTMLButtonElement>} */
    this.buttons = new Map(TOOLS.map(([tool, name, label]) => [tool, this.toolButton(tool, name, label)]));
    this.snap = this.button("snap", "Snap to the grid", () => selection.update({ snap: !selection.snap }));
    this.chips = h("div", { class: "chips", role: "radiogroup", "aria-label": "Class of new points" });
    this.chips.addEventListener("keydown", (event) => this.pressArrow(event));
    const classes = h("button", { type: "button", class: "quiet", onclick: editClasses }, "Classes");
    const views = [
      this.button("zoomOut", "Zoom out", () => this.zoom(2)),
      this.button("zoomIn", "Zoom in", () => this.zoom(0.5)),
      this.button("fit", "Zoom to the points", () => this.zoom(1)),
    ];
    const clear = this.button("clear", "Delete all points", () => changes.clear());
    this.element = h(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Tools" },
      h("div", { class: "group", role: "group", "aria-label": "Tool" }, ...this.buttons.values()),
      h("div", { class: "group" }, this.snap, clear),
      h("div", { class: "group classes" }, this.chips, classes),
      h("div", { class: "group views" }, ...views),
    );
    selection.subscribe(() => this.showSelection());
    /** @type {Board["classes"] | null} */
    this.classes = null;
    this.showSelection();
  }

  /** A button that chooses a tool. @param {Tool} tool @param {string} name of its icon @param {string} label */
  toolButton(tool, name, label) {
    return this.button(name, label, () => this.selection.update({ tool }));
  }

  /** A button that does something at once. @param {string} name of its icon @param {string} label @param {() => void} act */
  button(name, label, act) {
    return h("button", { type: "button", class: "tool", "aria-label": label, title: label, onclick: act }, icon(name));
  }

  /** Changes the view. @param {number} zoom 2 shows twice as much, 1 fits the view to the points */
  async zoom(zoom) {
    const { store } = this.changes;
    try {
      const { view } = await ask("/api/view", { board: store.board, zoom });
      store.change({ view });
    } catch (error) {
      if (!(error instanceof RefusedError)) {
        throw error;
      }
      this.status.showError(error.message);
    }
  }

  showSelection() {
    for (const [tool, button] of this.buttons) {
      set(button, { "aria-pressed": String(tool === this.selection.tool) });
    }
    set(this.snap, { "aria-pressed": String(this.selection.snap) });
    [...this.chips.children].forEach((chip, code) => {
      const chosen = code === this.selection.code;
      set(chip, { "aria-checked": String(chosen), tabindex: chosen ? 0 : -1 });
    });
  }

  /** @param {Board} board @param {boolean} asksLine */
  show(board, asksLine) {
    const needs = board.panes.map(({ algorithm }) => this.catalogue.algorithms.find(({ name }) => name === algorithm)?.needs);
    const ellipses = board.gaussians.length > 0 || needs.includes("gaussians or points");
    set(/** @type {Element} */ (this.buttons.get("ellipse")), { hidden: !ellipses });
    set(/** @type {Element} */ (this.buttons.get("line")), { hidden: !asksLine });
    if ((this.selection.tool === "ellipse" && !ellipses) || (this.selection.tool === "line" && !asksLine)) {
      this.selection.update({ tool: "point" });
    }
    if (board.classes !== this.classes) {
      this.classes = board.classes;
      const chips = board.classes.map((label, code) => this.chip(String(label), code));
      this.chips.replaceChildren(...chips);
      this.selection.update({ code: Math.min(this.selection.code, board.classes.length - 1) });
    }
  }

  /** The button of a class. @param {string} label @param {number} code */
  chip(label, code) {
    const look = { type: "button", class: "chip", role: "radio", title: `class ${label} (key ${code + 1})` };
    const name = h("span", { class: "name" }, label);
    return h("button", { ...look, "aria-label": `class ${label}`, onclick: () => this.selection.update({ code }) }, swatch(code), name);
  }

  /** Arrow keys choose the next or the previous class. @param {KeyboardEvent} event */
  pressArrow(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const count = this.chips.children.length;
    if (by && count) {
      event.preventDefault();
      event.stopPropagation();
      this.selection.update({ code: (this.selection.code + by + count) % count });
      const chip = this.chips.children[this.selection.code];
      chip instanceof HTMLElement && chip.focus();
    }
  }
}
