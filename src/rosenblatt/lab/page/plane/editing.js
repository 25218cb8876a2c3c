/** Pointers on a plane: what a press, a drag and a release do with each tool. Mouse, pen and finger are alike. */

import { settled } from "./scale.js";

/** @import { Box, XY } from "../base/types.js" */
/** @import { Changes } from "../board/changes.js" */
/** @import { Hand } from "../board/selection.js" */
/** @import { Plane } from "./plane.js" */

/** @typedef {(at: XY, event: PointerEvent) => void} Drag takes pixels */

const REACH = { mouse: 12, pen: 14, touch: 24 }; // pixels from a point at which it is meant
const SPRAY = 26; // pixels around the pointer where painted points fall
const APART = 14; // pixels between painted points

export class Editing {
  /** @param {Plane} plane @param {Hand} hand @param {Changes} changes */
  constructor(plane, hand, changes) {
    this.plane = plane;
    this.hand = hand;
    this.changes = changes;
    /** @type {{pointer: number, drag: Drag} | null} */
    this.going = null;
    const { svg } = plane;
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("mousedown", (event) => this.leaveKeys(event));
    svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) {
      svg.addEventListener(end, (event) => this.release(event));
    }
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0 || this.going !== null) {
      return;
    }
    const drag = this.begin(this.plane.at(event), event);
    if (drag) {
      this.plane.svg.setPointerCapture(event.pointerId);
      this.going = { pointer: event.pointerId, drag };
      this.plane.svg.classList.add("busy");
    }
  }

  /** A press takes no focus: space and arrows go on to play and to step, as anywhere. @param {MouseEvent} event */
  leaveKeys(event) {
    event.preventDefault();
    document.activeElement instanceof HTMLElement && document.activeElement.blur();
    document.activeElement instanceof SVGElement && document.activeElement.blur();
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (this.going?.pointer === event.pointerId) {
      this.going.drag(this.plane.at(event), event);
    }
  }

  /** @param {PointerEvent} event */
  release(event) {
    if (this.going?.pointer === event.pointerId) {
      this.going = null;
      this.plane.svg.classList.remove("busy");
    }
  }

  /** @param {XY} at @param {PointerEvent} event @returns {Drag | null} */
  begin(at, event) {
    const { hand, plane } = this;
    const reach = REACH[/** @type {keyof typeof REACH} */ (event.pointerType)] ?? REACH.mouse;
    const handle = event.target instanceof Element ? event.target.closest("[data-handle]") : null;
    if (handle instanceof SVGElement && hand.tool !== "paint" && hand.tool !== "erase" && hand.tool !== "line") {
      return this.reshape(Number(handle.dataset.gaussian), Number(handle.dataset.handle));
    }
    const near = plane.near(at, reach);
    if (!plane.scale.inside(at) && near === null) {
      return null;
    }
    if (hand.tool === "paint") {
      return this.spray(at);
    }
    if (hand.tool === "erase") {
      return this.erase(at, reach, handle);
    }
    if (hand.tool === "ellipse") {
      return this.stretch(at);
    }
    if (hand.tool === "line") {
      return this.rule(at);
    }
    if (near !== null) {
      hand.take({ selected: near, cursor: null });
      return this.carry(near, hand.gesture("move"));
    }
    return hand.tool === "move" ? this.pan(at) : this.place(at);
  }

  /** Pixels as a place to put something: within the picture, and round. @param {XY} at @returns {XY} */
  settle(at) {
    const { scale } = this.plane;
    const [x, y] = scale.data(at);
    const [x0, x1, y0, y1] = scale.view;
    return settled([Math.min(Math.max(x, x0), x1), Math.min(Math.max(y, y0), y1)], scale.view, this.hand.snap);
  }

  /** @param {XY} at @returns {Drag | null} */
  place(at) {
    const group = this.hand.gesture("add");
    const i = this.changes.addPoint(this.settle(at), this.hand.code, group);
    this.hand.take({ selected: null, cursor: null });
    return i === null ? null : this.carry(i, group);
  }

  /** @param {number} i @param {string} group @returns {Drag} */
  carry(i, group) {
    let moved = false;
    /** @type {XY | null} */
    let from = null;
    return (at) => {
      from ??= at;
      moved ||= Math.hypot(at[0] - from[0], at[1] - from[1]) > 2;
      if (moved) {
        this.changes.movePoint(i, this.settle(at), group);
      }
    };
  }

  /** @param {XY} from @returns {Drag} */
  pan(from) {
    const { scale } = this.plane;
    const group = this.hand.gesture("pan");
    this.hand.take({ selected: null });
    return (at) => {
      const [dx, dy] = [(from[0] - at[0]) / scale.perX, (at[1] - from[1]) / scale.perY];
      const [x0, x1, y0, y1] = scale.view;
      /** @type {Box} */
      const view = [x0 + dx, x1 + dx, y0 + dy, y1 + dy];
      this.changes.store.change({ view }, group);
    };
  }

  /** @param {XY} from @returns {Drag} */
  spray(from) {
    const group = this.hand.gesture("paint");
    let last = from;
    /** @param {XY} at */
    const drop = ([x, y]) => {
      const [turn, away] = [Math.random() * 2 * Math.PI, SPRAY * Math.sqrt(Math.random())];
      this.changes.addPoint(this.settle([x + away * Math.cos(turn), y + away * Math.sin(turn)]), this.hand.code, group);
    };
    this.hand.take({ selected: null });
    drop(from);
    return (at) => {
      if (Math.hypot(at[0] - last[0], at[1] - last[1]) >= APART) {
        last = at;
        drop(at);
      }
    };
  }

  /** @param {XY} from @param {number} reach @param {Element | null} handle @returns {Drag} */
  erase(from, reach, handle) {
    const group = this.hand.gesture("erase");
    this.hand.take({ selected: null });
    if (handle instanceof SVGElement) {
      this.changes.removeGaussian(Number(handle.dataset.gaussian));
    }
    /** @type {Drag} */
    const wipe = (at) => {
      const near = this.plane.near(at, reach);
      if (near !== null) {
        this.changes.removePoint(near, group);
      }
    };
    wipe(from, /** @type {PointerEvent} */ (new PointerEvent("pointermove")));
    return wipe;
  }

  /** A new ellipse, pulled out from its centre. @param {XY} from @returns {Drag | null} */
  stretch(from) {
    const { scale } = this.plane;
    const [mx, my] = this.settle(from);
    const group = this.hand.gesture("ellipse");
    const size = (scale.view[1] - scale.view[0]) / 12;
    const i = this.changes.addGaussian([mx, my, size, 0, 0, size / 2, this.hand.code], group);
    return i === null
      ? null
      : (at) => {
          const [x, y] = this.settle(at);
          const [ax, ay] = [x - mx, y - my];
          if (Math.hypot(at[0] - from[0], at[1] - from[1]) > 8) {
            this.changes.setGaussian(i, [mx, my, ax, ay, -ay / 2, ax / 2, this.hand.code], group);
          }
        };
  }

  /** @param {number} i @param {number} handle 0: centre, 1: a, 2: b @returns {Drag} */
  reshape(i, handle) {
    const group = this.hand.gesture("reshape");
    this.hand.take({ selected: null });
    return (at) => {
      const gaussian = this.changes.board.gaussians[i];
      const [x, y] = this.settle(at);
      if (gaussian) {
        const [mx, my] = gaussian;
        this.changes.setHandle(i, handle, handle === 0 ? [x, y] : [x - mx, y - my], group);
      }
    };
  }

  /** @param {XY} from @returns {Drag} */
  rule(from) {
    const start = this.settle(from);
    return (at) => this.hand.take({ line: [start, this.settle(at)] });
  }
}
