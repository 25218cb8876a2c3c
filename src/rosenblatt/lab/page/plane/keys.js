/** The keyboard on a plane: a cursor that adds points, and keys that move, delete and classify a point. */

import { coordinateText, keyStep, roundedPlace } from "./scale.js";

/** @import { XY } from "../base/types.js" */
/** @import { Changes } from "../board/changes.js" */
/** @import { Selection } from "../board/selection.js" */
/** @import { Plane } from "./plane.js" */

/** @type {Record<string, XY>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/**
 * Handles keys while no element has the focus. They change the selected point; without one, the class of new points.
 *
 * @param {Selection} selection
 * @param {Changes} changes
 */
export function listenForKeys(selection, changes) {
  document.addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey }) => {
    const { selected } = selection;
    if (target !== document.body || ctrlKey || metaKey || altKey) {
      return;
    }
    const code = Number(key) - 1;
    if (/^[1-6]$/.test(key) && code < changes.board.classes.length) {
      selected === null ? selection.update({ code }) : changes.setClass(selected, code);
    } else if (selected !== null && (key === "Delete" || key === "Backspace")) {
      changes.removePoint(selected);
      selection.update({ selected: null });
    } else if (key === "Escape") {
      selection.update({ selected: null });
    }
  });
}

export class PlaneKeys {
  /**
   * @param {Plane} plane
   * @param {Selection} selection
   * @param {Changes} changes
   * @param {(sentence: string) => void} say
   */
  constructor(plane, selection, changes, say) {
    this.plane = plane;
    this.selection = selection;
    this.changes = changes;
    this.say = say;
    plane.svg.addEventListener("keydown", (event) => this.press(event));
    plane.svg.addEventListener("focusin", (event) => this.enter(event));
    plane.svg.addEventListener("focusout", () => plane.showCursor(null));
    plane.onRescale.push(() => plane.svg === document.activeElement && plane.showCursor(selection.cursor));
  }

  /** @param {FocusEvent} event */
  enter(event) {
    const { selection, plane } = this;
    if (event.target === plane.svg && plane.svg.matches(":focus-visible")) {
      selection.update({ selected: null, cursor: this.cursorPlace() });
      plane.showCursor(selection.cursor);
    } else if (event.target instanceof SVGElement && event.target.dataset.point !== undefined) {
      selection.update({ selected: Number(event.target.dataset.point) });
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

  /** The place of the cursor. It starts in the middle of the view. @returns {XY} */
  cursorPlace() {
    const [x0, x1, y0, y1] = this.plane.scale.view;
    return this.selection.cursor ?? roundedPlace([(x0 + x1) / 2, (y0 + y1) / 2], this.plane.scale.view, this.selection.snap);
  }

  /** The movement of an arrow key, in data coordinates. Null for other keys. @param {KeyboardEvent} event @returns {XY | null} */
  arrow(event) {
    const direction = ARROWS[event.key];
    const step = keyStep(this.plane.scale.view, event.shiftKey || this.selection.snap);
    return direction ? [direction[0] * step, direction[1] * step] : null;
  }

  /** Adds a movement to a place, and rounds away the float errors. @param {XY} at @param {XY} by @returns {XY} */
  moved([x, y], [dx, dy]) {
    return [Number((x + dx).toPrecision(9)), Number((y + dy).toPrecision(9))];
  }

  /** Sets the class of new points. @param {number} code */
  choose(code) {
    if (code < this.changes.board.classes.length) {
      this.selection.update({ code });
      this.say(`Class ${this.changes.board.classes[code]}.`);
    }
  }

  /** @param {KeyboardEvent} event */
  onPlane(event) {
    const { selection, plane } = this;
    const by = this.arrow(event);
    const at = this.cursorPlace();
    if (by) {
      selection.update({ cursor: this.moved(at, by) });
      plane.showCursor(selection.cursor);
      this.say(`Cursor at (${selection.cursor?.map(coordinateText).join(", ")}).`);
    } else if (event.key === "Enter") {
      this.addAt(at);
    } else if (/^[1-6]$/.test(event.key)) {
      this.choose(Number(event.key) - 1);
    } else if (["n", "p", "PageDown", "PageUp"].includes(event.key)) {
      this.focus(0);
    } else {
      return false;
    }
    return true;
  }

  /** Adds a point, an ellipse or an end of a line at the cursor, depending on the tool. @param {XY} at */
  addAt(at) {
    const { selection, plane } = this;
    const [x, y] = this.moved(at, [0, 0]);
    if (selection.tool === "line") {
      selection.update({ line: selection.line.length === 1 ? [...selection.line, [x, y]] : [[x, y]] });
    } else if (selection.tool === "ellipse") {
      const size = (plane.scale.view[1] - plane.scale.view[0]) / 12;
      this.changes.addGaussian([x, y, size, 0, 0, size / 2, selection.code], selection.gesture("ellipse"));
    } else {
      const i = this.changes.addPoint([x, y], selection.code, selection.gesture("add"));
      this.say(i === null ? "" : `Point ${i} added, class ${this.changes.board.classes[selection.code]}.`);
    }
  }

  /** Moves the focus to a point. The numbers wrap around. @param {number} i */
  focus(i) {
    const { marks } = this.plane;
    const count = marks.length;
    const next = count ? ((i % count) + count) % count : -1;
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
      const [mx, my, ax, ay, bx, bEnd] = gaussian;
      this.changes.setGaussian(i, [mx, my, ax, ay, bx, bEnd, Number(event.key) - 1]);
    } else {
      return false;
    }
    return true;
  }
}
