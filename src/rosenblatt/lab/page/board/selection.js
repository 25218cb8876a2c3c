/** The reader's current tool, class, selected point and cursor. They are not part of the board and are not saved. */

/** @import { XY } from "../base/types.js" */

/** @typedef {"point" | "move" | "paint" | "erase" | "ellipse" | "line"} Tool */

export class Selection {
  constructor() {
    /** @type {Tool} */
    this.tool = "point";
    this.code = 0;
    this.snap = false;
    /** @type {number | null} */
    this.selected = null;
    /** @type {XY | null} */
    this.cursor = null;
    /** @type {XY[]} ends of the line that a question asks for */
    this.line = [];
    /** @type {(() => void)[]} */
    this.listeners = [];
    this.gestures = 0;
  }

  /** @param {() => void} listener */
  subscribe(listener) {
    this.listeners.push(listener);
  }

  /**
   * Sets some of the properties and tells the listeners.
   *
   * @param {Partial<Pick<Selection, "tool" | "code" | "snap" | "selected" | "cursor" | "line">>} parts
   */
  update(parts) {
    Object.assign(this, parts);
    this.listeners.forEach((listener) => listener());
  }

  /** A new group name for the changes of one gesture. One undo reverts the whole group. @param {string} what */
  gesture(what) {
    this.gestures += 1;
    return `${what} ${this.gestures}`;
  }
}
