/** The board: what is shown, how it changes, and how changes are taken back. Boards are never changed in place. */

/** @import { Algorithm, Board } from "../base/types.js" */

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
 * The classes that an algorithm finds on a board, in the order of their labels, which the library keeps to: among the
 * ellipses, if it takes them and there are any; else among the points.
 *
 * @param {Pick<Board, "classes" | "points" | "gaussians">} board
 * @param {Algorithm["needs"]} needs
 * @returns {number[]} their codes
 */
export function present({ classes, points, gaussians }, needs) {
  const drawn = needs === "gaussians or points" && gaussians.length > 0;
  const codes = new Set(drawn ? gaussians.map((gaussian) => gaussian[6]) : points.map((point) => point[2]));
  const words = classes.some((label) => typeof label === "string"); // then numbers are words too
  const labels = classes.map((label) => (words ? String(label) : label));
  return [...codes].sort((a, b) => ((labels[a] ?? "") < (labels[b] ?? "") ? -1 : 1));
}

/**
 * Panes without start weights that are not those of the classes on the plane: three numbers for two classes, three for
 * each of more. While there are fewer, as on the way from some points to others, they are kept.
 *
 * @param {Board} board
 */
function fitting(board) {
  const many = present(board, "points").length;
  /** @param {any} init */
  const fits = (init) => !init || many < 2 || (Array.isArray(init[0]) ? init.length === many : many === 2);
  return board.panes.map((pane) => {
    const { init, ...others } = pane.options;
    return fits(init) ? pane : { ...pane, options: others };
  });
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
   * Lays some parts over the board. Changes of one group, as those of one drag, are taken back together; so are start
   * weights that go because other classes came.
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
    const board = { ...this.board, ...parts };
    this.put(parts.panes ? board : { ...board, panes: fitting(board) });
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
