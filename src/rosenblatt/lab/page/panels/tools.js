/** The tool bar: what a press on the plane does, for which class, and how much of the plane is seen. */

import { ask, Refused } from "../base/api.js";
import { h, set } from "../base/dom.js";
import { icon } from "../base/icons.js";
import { swatch } from "../plane/marks.js";

/** @import { Board, Catalogue } from "../base/types.js" */
/** @import { Changes } from "../board/changes.js" */
/** @import { Hand, Tool } from "../board/selection.js" */
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

export class Tools {
  /**
   * @param {Hand} hand
   * @param {Changes} changes
   * @param {Catalogue} catalogue
   * @param {Status} status
   * @param {() => void} editClasses
   */
  constructor(hand, changes, catalogue, status, editClasses) {
    this.hand = hand;
    this.changes = changes;
    this.catalogue = catalogue;
    this.status = status;
    /** @type {Map<Tool, HTMLButtonElement>} */
    this.buttons = new Map(TOOLS.map(([tool, name, label]) => [tool, this.tool(tool, name, label)]));
    this.snap = this.act("snap", "Keep to the grid", () => hand.take({ snap: !hand.snap }));
    this.chips = h("div", { class: "chips", role: "radiogroup", "aria-label": "Class of new points" });
    this.chips.addEventListener("keydown", (event) => this.turn(event));
    const classes = h("button", { type: "button", class: "quiet", onclick: editClasses }, "Classes");
    const views = [
      this.act("farther", "Show more of the plane", () => this.zoom(2)),
      this.act("closer", "Show less of the plane", () => this.zoom(0.5)),
      this.act("fit", "Fit the points", () => this.zoom(1)),
    ];
    const clear = this.act("clear", "Delete all points", () => changes.clear());
    this.element = h(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Tools" },
      h("div", { class: "group", role: "group", "aria-label": "Tool" }, ...this.buttons.values()),
      h("div", { class: "group" }, this.snap, clear),
      h("div", { class: "group classes" }, this.chips, classes),
      h("div", { class: "group views" }, ...views),
    );
    hand.subscribe(() => this.showHand());
    /** @type {Board["classes"] | null} */
    this.classes = null;
    this.showHand();
  }

  /** @param {Tool} tool @param {string} name @param {string} label */
  tool(tool, name, label) {
    const act = () => this.hand.take({ tool });
    return h("button", { type: "button", class: "tool", "aria-label": label, title: label, onclick: act }, icon(name));
  }

  /** @param {string} name @param {string} label @param {() => void} act */
  act(name, label, act) {
    return h("button", { type: "button", class: "tool", "aria-label": label, title: label, onclick: act }, icon(name));
  }

  /** @param {number} zoom 1 fits the points */
  async zoom(zoom) {
    const { store } = this.changes;
    try {
      const { view } = await ask("/api/view", { board: store.board, zoom });
      store.change({ view });
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw error;
      }
      this.status.refuse(error.message);
    }
  }

  showHand() {
    for (const [tool, button] of this.buttons) {
      set(button, { "aria-pressed": String(tool === this.hand.tool) });
    }
    set(this.snap, { "aria-pressed": String(this.hand.snap) });
    [...this.chips.children].forEach((chip, code) => {
      const chosen = code === this.hand.code;
      set(chip, { "aria-checked": String(chosen), tabindex: chosen ? 0 : -1 });
    });
  }

  /** @param {Board} board @param {boolean} asksLine */
  show(board, asksLine) {
    const needs = board.panes.map(({ algorithm }) => this.catalogue.algorithms.find(({ name }) => name === algorithm)?.needs);
    const ellipses = board.gaussians.length > 0 || needs.includes("gaussians or points");
    set(/** @type {Element} */ (this.buttons.get("ellipse")), { hidden: !ellipses });
    set(/** @type {Element} */ (this.buttons.get("line")), { hidden: !asksLine });
    if ((this.hand.tool === "ellipse" && !ellipses) || (this.hand.tool === "line" && !asksLine)) {
      this.hand.take({ tool: "point" });
    }
    if (board.classes !== this.classes) {
      this.classes = board.classes;
      const chips = board.classes.map((label, code) => this.chip(String(label), code));
      this.chips.replaceChildren(...chips);
      this.hand.take({ code: Math.min(this.hand.code, board.classes.length - 1) });
    }
  }

  /** @param {string} label @param {number} code */
  chip(label, code) {
    const look = { type: "button", class: "chip", role: "radio", title: `class ${label} (key ${code + 1})` };
    const name = h("span", { class: "name" }, label);
    return h("button", { ...look, "aria-label": `class ${label}`, onclick: () => this.hand.take({ code }) }, swatch(code), name);
  }

  /** @param {KeyboardEvent} event */
  turn(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const many = this.chips.children.length;
    if (by && many) {
      event.preventDefault();
      event.stopPropagation();
      this.hand.take({ code: (this.hand.code + by + many) % many });
      const chip = this.chips.children[this.hand.code];
      chip instanceof HTMLElement && chip.focus();
    }
  }
}
