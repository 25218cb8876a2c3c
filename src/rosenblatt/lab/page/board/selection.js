/** What the reader holds: a tool, a class, the selected point, the keyboard's cursor. No part of the document. */

/** @import { XY } from "../base/types.js" */

/** @typedef {"point" | "move" | "paint" | "erase" | "ellipse" | "line"} Tool */

export class Hand {
  constructor() {
    /** @type {Tool} */
    this.tool = "point";
    this.code = 0;
    this.snap = false;
    /** @type {number | null} */
    this.selected = null;
    /** @type {XY | null} */
    this.cursor = null;
    /** @type {XY[]} ends of the line that an exercise asks for */
    this.line = [];
    /** @type {(() => void)[]} */
    this.listeners = [];
    this.gestures = 0;
  }

  /** @param {() => void} listener */
  subscribe(listener) {
    this.listeners.push(listener);
  }

  /** @param {Partial<Pick<Hand, "tool" | "code" | "snap" | "selected" | "cursor" | "line">>} parts */
  take(parts) {
    Object.assign(this, parts);
    this.listeners.forEach((listener) => listener());
  }

  /** A name for the changes of one gesture, which are taken back together. @param {string} what */
  gesture(what) {
    this.gestures += 1;
    return `${what} ${this.gestures}`;
  }
}
