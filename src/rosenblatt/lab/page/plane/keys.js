/** The keyboard on a plane: a cursor that adds points, and points that can be moved, deleted and given a class. */

import { nudge, settled, spoken } from "./scale.js";

/** @import { XY } from "../base/types.js" */
/** @import { Changes } from "../board/changes.js" */
/** @import { Hand } from "../board/selection.js" */
/** @import { Plane } from "./plane.js" */

/** @type {Record<string, XY>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/**
 * Keys while nothing has the focus: for the point that was pressed; if it was none, the class of new points.
 *
 * @param {Hand} hand
 * @param {Changes} changes
 */
export function listenForKeys(hand, changes) {
  document.addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey }) => {
    const { selected } = hand;
    if (target !== document.body || ctrlKey || metaKey || altKey) {
      return;
    }
    const code = Number(key) - 1;
    if (/^[1-6]$/.test(key) && code < changes.board.classes.length) {
      selected === null ? hand.take({ code }) : changes.setClass(selected, code);
    } else if (selected !== null && (key === "Delete" || key === "Backspace")) {
      changes.removePoint(selected);
      hand.take({ selected: null });
    } else if (key === "Escape") {
      hand.take({ selected: null });
    }
  });
}

export class Keys {
  /**
   * @param {Plane} plane
   * @param {Hand} hand
   * @param {Changes} changes
   * @param {(sentence: string) => void} say
   */
  constructor(plane, hand, changes, say) {
    this.plane = plane;
    this.hand = hand;
    this.changes = changes;
    this.say = say;
    plane.svg.addEventListener("keydown", (event) => this.press(event));
    plane.svg.addEventListener("focusin", (event) => this.enter(event));
    plane.svg.addEventListener("focusout", () => plane.showCursor(null));
    plane.whenScaled.push(() => plane.svg === document.activeElement && plane.showCursor(hand.cursor));
  }

  /** @param {FocusEvent} event */
  enter(event) {
    const { hand, plane } = this;
    if (event.target === plane.svg && plane.svg.matches(":focus-visible")) {
      hand.take({ selected: null, cursor: this.place() });
      plane.showCursor(hand.cursor);
    } else if (event.target instanceof SVGElement && event.target.dataset.point !== undefined) {
      hand.take({ selected: Number(event.target.dataset.point) });
    }
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof SVGElement)) {
      return;
    }
    const { point, gaussian, handle } = event.target.dataset;
    const done =
      gaussian !== undefined
        ? this.onHandle(event, Number(gaussian), Number(handle))
        : point !== undefined
          ? this.onPoint(event, Number(point))
          : this.onPlane(event);
    if (done) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** Where the cursor is: in the middle, until it was moved. @returns {XY} */
  place() {
    const [x0, x1, y0, y1] = this.plane.scale.view;
    return this.hand.cursor ?? settled([(x0 + x1) / 2, (y0 + y1) / 2], this.plane.scale.view, this.hand.snap);
  }

  /** How far an arrow key goes, in data coordinates. @param {KeyboardEvent} event @returns {XY | null} */
  arrow(event) {
    const way = ARROWS[event.key];
    const step = nudge(this.plane.scale.view, event.shiftKey || this.hand.snap);
    return way ? [way[0] * step, way[1] * step] : null;
  }

  /** A place after a step of the keyboard, without the dust of floats. @param {XY} at @param {XY} by @returns {XY} */
  moved([x, y], [dx, dy]) {
    return [Number((x + dx).toPrecision(9)), Number((y + dy).toPrecision(9))];
  }

  /** @param {number} code */
  choose(code) {
    if (code < this.changes.board.classes.length) {
      this.hand.take({ code });
      this.say(`Class ${this.changes.board.classes[code]}.`);
    }
  }

  /** @param {KeyboardEvent} event */
  onPlane(event) {
    const { hand, plane } = this;
    const by = this.arrow(event);
    const at = this.place();
    if (by) {
      hand.take({ cursor: this.moved(at, by) });
      plane.showCursor(hand.cursor);
      this.say(`Cursor at (${hand.cursor?.map(spoken).join(", ")}).`);
    } else if (event.key === "Enter") {
      this.put(at);
    } else if (/^[1-6]$/.test(event.key)) {
      this.choose(Number(event.key) - 1);
    } else if (["n", "p", "PageDown", "PageUp"].includes(event.key)) {
      this.focus(0);
    } else {
      return false;
    }
    return true;
  }

  /** What Enter does at the cursor: a point, an ellipse, or an end of a line. @param {XY} at */
  put(at) {
    const { hand, plane } = this;
    const [x, y] = this.moved(at, [0, 0]);
    if (hand.tool === "line") {
      hand.take({ line: hand.line.length === 1 ? [...hand.line, [x, y]] : [[x, y]] });
    } else if (hand.tool === "ellipse") {
      const size = (plane.scale.view[1] - plane.scale.view[0]) / 12;
      this.changes.addGaussian([x, y, size, 0, 0, size / 2, hand.code], hand.gesture("ellipse"));
    } else {
      const i = this.changes.addPoint([x, y], hand.code, hand.gesture("add"));
      this.say(i === null ? "" : `Point ${i} added, class ${this.changes.board.classes[hand.code]}.`);
    }
  }

  /** @param {number} i */
  focus(i) {
    const { marks } = this.plane;
    const many = marks.length;
    const next = many ? ((i % many) + many) % many : -1;
    (marks[next] ?? this.plane.svg).focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event @param {number} i */
  onPoint(event, i) {
    const by = this.arrow(event);
    const point = this.changes.board.points[i];
    if (!point) {
      return false;
    }
    if (by) {
      this.changes.movePoint(i, this.moved([point[0], point[1]], by), `keys ${i}`);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.changes.removePoint(i);
      this.say(`Point ${i} deleted.`);
      this.focus(Math.min(i, this.changes.board.points.length - 1));
    } else if (/^[1-6]$/.test(event.key)) {
      this.changes.setClass(i, Number(event.key) - 1);
    } else if (event.key === "n" || event.key === "PageDown") {
      this.focus(i + 1);
    } else if (event.key === "p" || event.key === "PageUp") {
      this.focus(i - 1);
    } else if (event.key === "Escape") {
      this.plane.svg.focus({ preventScroll: true });
    } else {
      return event.key === "Enter";
    }
    return true;
  }

  /** @param {KeyboardEvent} event @param {number} i @param {number} handle */
  onHandle(event, i, handle) {
    const by = this.arrow(event);
    const gaussian = this.changes.board.gaussians[i];
    if (!gaussian) {
      return false;
    }
    if (by) {
      const at = this.moved([gaussian[2 * handle] ?? 0, gaussian[2 * handle + 1] ?? 0], by);
      this.changes.setHandle(i, handle, at, `keys ${i} ${handle}`);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.changes.removeGaussian(i);
      this.plane.svg.focus({ preventScroll: true });
    } else if (/^[1-6]$/.test(event.key) && Number(event.key) <= this.changes.board.classes.length) {
      const [mx, my, ax, ay, bx, high] = gaussian;
      this.changes.setGaussian(i, [mx, my, ax, ay, bx, high, Number(event.key) - 1]);
    } else {
      return false;
    }
    return true;
  }
}
