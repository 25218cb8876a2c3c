/** The board: what is shown, how it changes, and how changes are taken back. Boards are never changed in place. */

/** @import { Algorithm, Board } from "./types.js" */

const DEPTH = 200; // changes that can be taken back

/** @type {Board} */
export const EMPTY = {
  rosenblatt_lab: 1,
  names: ["x1", "x2"],
  classes: [-1, 1],
  points: [],
  gaussians: [],
  panes: [{ algorithm: "perceptron", options: {} }],
  view: [-1, 7, -1, 5],
  step: 0,
};

/**
 * How many classes an algorithm finds on a board: among the ellipses, if it takes them and there are any; else among the
 * points.
 *
 * @param {Board} board
 * @param {Algorithm["needs"]} needs
 */
export function present({ points, gaussians }, needs) {
  const drawn = needs === "gaussians or points" && gaussians.length > 0;
  return new Set(drawn ? gaussians.map((gaussian) => gaussian[6]) : points.map((point) => point[2])).size;
}

/** @typedef {(board: Board, before: Board) => void} Listener */

export class Store {
  constructor() {
    /** @type {Board} */
    this.board = EMPTY;
    /** @type {Board[]} */
    this.past = [];
    /** @type {Board[]} */
    this.future = [];
    /** @type {string | null} */
    this.group = null;
    /** @type {Listener[]} */
    this.listeners = [];
  }

  /** @param {Listener} listener called after every change */
  subscribe(listener) {
    this.listeners.push(listener);
  }

  /** @param {Board} board */
  put(board) {
    const before = this.board;
    this.board = board;
    for (const listener of this.listeners) {
      listener(board, before);
    }
  }

  /**
   * Lays some parts over the board. Changes of one group, as those of one drag, are taken back together.
   *
   * @param {Partial<Board>} parts
   * @param {string | null} [group]
   */
  change(parts, group = null) {
    if (group === null || group !== this.group) {
      this.past = [...this.past.slice(1 - DEPTH), this.board];
    }
    this.group = group;
    this.future = [];
    this.put({ ...this.board, ...parts });
  }

  /** Shows a step: no change of the document, nothing to take back. @param {number} step */
  show(step) {
    if (step !== this.board.step) {
      this.put({ ...this.board, step });
    }
  }

  /** A new beginning: nothing before it can be taken back. @param {Board} board */
  open(board) {
    this.past = [];
    this.future = [];
    this.group = null;
    this.put(board);
  }

  undo() {
    this.travel(this.past, this.future);
  }

  redo() {
    this.travel(this.future, this.past);
  }

  /**
   * @param {Board[]} from
   * @param {Board[]} to
   */
  travel(from, to) {
    const board = from.pop();
    if (board !== undefined) {
      to.push(this.board);
      this.group = null;
      this.put({ ...board, step: this.board.step });
    }
  }
}
