/** Editing with the mouse, a pen or a finger: what a press, a drag and a release do with each tool. */

import { roundedPlace } from "./scale.js";

/** @import { Box, XY } from "../base/types.js" */
/** @import { Changes } from "../board/changes.js" */
/** @import { Selection } from "../board/selection.js" */
/** @import { Plane } from "./plane.js" */

/** @typedef {(at: XY, event: PointerEvent) => void} Drag called with the place in pixels */

const REACH = { mouse: 12, pen: 14, touch: 24 }; // pixels; a press this close to a point takes the point
const PAINT_RADIUS = 26; // pixels around the pointer in which points are painted
const PAINT_SPACING = 14; // pixels that the pointer moves between painted points

export class PointerEditing {
  /** @param {Plane} plane @param {Selection} selection @param {Changes} changes */
  constructor(plane, selection, changes) {
    this.plane = plane;
    this.selection = selection;
    this.changes = changes;
    /** @type {{pointer: number, drag: Drag} | null} */
    this.active = null;
    const { svg } = plane;
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("mousedown", (event) => this.dropFocus(event));
    svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) {
      svg.addEventListener(end, (event) => this.release(event));
    }
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0 || this.active !== null) {
      return;
    }
    const drag = this.begin(this.plane.at(event), event);
    if (drag) {
      this.plane.svg.setPointerCapture(event.pointerId);
      this.active = { pointer: event.pointerId, drag };
      this.plane.svg.classList.add("busy");
    }
  }

  /** Keeps the focus off the plane, so that space and arrow keys still control the time bar. @param {MouseEvent} event */
  dropFocus(event) {
    event.preventDefault();
    document.activeElement instanceof HTMLElement && document.activeElement.blur();
    document.activeElement instanceof SVGElement && document.activeElement.blur();
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (this.active?.pointer === event.pointerId) {
      this.active.drag(this.plane.at(event), event);
    }
  }

  /** @param {PointerEvent} event */
  release(event) {
    if (this.active?.pointer === event.pointerId) {
      this.active = null;
      this.plane.svg.classList.remove("busy");
    }
  }

  /** Starts the action of the current tool. @param {XY} at @param {PointerEvent} event @returns {Drag | null} */
  begin(at, event) {
    const { selection, plane } = this;
    const reach = REACH[/** @type {keyof typeof REACH} */ (event.pointerType)] ?? REACH.mouse;
    const handle = event.target instanceof Element ? event.target.closest("[data-handle]") : null;
    if (handle instanceof SVGElement && selection.tool !== "paint" && selection.tool !== "erase" && selection.tool !== "line") {
      return this.reshape(Number(handle.dataset.gaussian), Number(handle.dataset.handle));
    }
    const near = plane.nearestPoint(at, reach);
    if (!plane.scale.inside(at) && near === null) {
      return null;
    }
    if (selection.tool === "paint") {
      return this.paint(at);
    }
    if (selection.tool === "erase") {
      return this.erase(at, reach, handle);
    }
    if (selection.tool === "ellipse") {
      return this.drawEllipse(at);
    }
    if (selection.tool === "line") {
      return this.drawLine(at);
    }
    if (near !== null) {
      selection.update({ selected: near, cursor: null });
      return this.dragPoint(near, selection.gesture("move"));
    }
    return selection.tool === "move" ? this.pan(at) : this.addPoint(at);
  }

  /** Converts pixels to a rounded place inside the view. @param {XY} at @returns {XY} */
  placeAt(at) {
    const { scale } = this.plane;
    const [x, y] = scale.data(at);
    const [x0, x1, y0, y1] = scale.view;
    return roundedPlace([Math.min(Math.max(x, x0), x1), Math.min(Math.max(y, y0), y1)], scale.view, this.selection.snap);
  }

  /** Adds a point, which the drag then moves. @param {XY} at @returns {Drag | null} */
  addPoint(at) {
    const group = this.selection.gesture("add");
    const i = this.changes.addPoint(this.placeAt(at), this.selection.code, group);
    this.selection.update({ selected: null, cursor: null });
    return i === null ? null : this.dragPoint(i, group);
  }

  /** Moves a point. @param {number} i @param {string} group @returns {Drag} */
  dragPoint(i, group) {
    let moved = false;
    /** @type {XY | null} */
    let from = null;
    return (at) => {
      from ??= at;
      moved ||= Math.hypot(at[0] - from[0], at[1] - from[1]) > 2;
      if (moved) {
        this.changes.movePoint(i, this.placeAt(at), group);
      }
    };
  }

  /** Moves the view. @param {XY} from @returns {Drag} */
  pan(from) {
    const { scale } = this.plane;
    const group = this.selection.gesture("pan");
    this.selection.update({ selected: null });
    return (at) => {
      const [dx, dy] = [(from[0] - at[0]) / scale.perX, (at[1] - from[1]) / scale.perY];
      const [x0, x1, y0, y1] = scale.view;
      /** @type {Box} */
      const view = [x0 + dx, x1 + dx, y0 + dy, y1 + dy];
      this.changes.store.change({ view }, group);
    };
  }

  /** Adds random points near the pointer. @param {XY} from @returns {Drag} */
  paint(from) {
    const group = this.selection.gesture("paint");
    let last = from;
    /** @param {XY} at */
    const drop = ([x, y]) => {
      const [angle, distance] = [Math.random() * 2 * Math.PI, PAINT_RADIUS * Math.sqrt(Math.random())];
      this.changes.addPoint(this.placeAt([x + distance * Math.cos(angle), y + distance * Math.sin(angle)]), this.selection.code, group);
    };
    this.selection.update({ selected: null });
    drop(from);
    return (at) => {
      if (Math.hypot(at[0] - last[0], at[1] - last[1]) >= PAINT_SPACING) {
        last = at;
        drop(at);
      }
    };
  }

  /** Deletes points and ellipses. @param {XY} from @param {number} reach @param {Element | null} handle @returns {Drag} */
  erase(from, reach, handle) {
    const group = this.selection.gesture("erase");
    this.selection.update({ selected: null });
    if (handle instanceof SVGElement) {
      this.changes.removeGaussian(Number(handle.dataset.gaussian));
    }
    /** @type {Drag} */
    const erasePoint = (at) => {
      const near = this.plane.nearestPoint(at, reach);
      if (near !== null) {
        this.changes.removePoint(near, group);
      }
    };
    erasePoint(from, /** @type {PointerEvent} */ (new PointerEvent("pointermove")));
    return erasePoint;
  }

  /** Adds an ellipse. The drag sets its first half-axis. @param {XY} from @returns {Drag | null} */
  drawEllipse(from) {
    const { scale } = this.plane;
    const [mx, my] = this.placeAt(from);
    const group = this.selection.gesture("ellipse");
    const size = (scale.view[1] - scale.view[0]) / 12;
    const i = this.changes.addGaussian([mx, my, size, 0, 0, size / 2, this.selection.code], group);
    return i === null
      ? null
      : (at) => {
          const [x, y] = this.placeAt(at);
          const [ax, ay] = [x - mx, y - my];
          if (Math.hypot(at[0] - from[0], at[1] - from[1]) > 8) {
            this.changes.setGaussian(i, [mx, my, ax, ay, -ay / 2, ax / 2, this.selection.code], group);
          }
        };
  }

  /** Moves a handle of an ellipse. @param {number} i @param {number} handle 0: centre, 1 and 2: ends of the half-axes @returns {Drag} */
  reshape(i, handle) {
    const group = this.selection.gesture("reshape");
    this.selection.update({ selected: null });
    return (at) => {
      const gaussian = this.changes.board.gaussians[i];
      const [x, y] = this.placeAt(at);
      if (gaussian) {
        const [mx, my] = gaussian;
        this.changes.setHandle(i, handle, handle === 0 ? [x, y] : [x - mx, y - my], group);
      }
    };
  }

  /** Draws the line that a question asks for. @param {XY} from @returns {Drag} */
  drawLine(from) {
    const start = this.placeAt(from);
    return (at) => this.selection.update({ line: [start, this.placeAt(at)] });
  }
}
