/** The store of the board: its current state, undo and redo. A change makes a new board object. */

/** @import { Algorithm, Board } from "../base/types.js" */

const MAX_UNDO = 200; // changes

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
 * The classes that an algorithm finds on a board, sorted by label as in the library. An algorithm that takes ellipses
 * looks at the ellipses, if there are any. Otherwise it looks at the points.
 *
 * @param {Pick<Board, "classes" | "points" | "gaussians">} board
 * @param {Algorithm["needs"]} needs
 * @returns {number[]} codes of the classes
 */
export function presentClasses({ classes, points, gaussians }, needs) {
  const drawn = needs === "gaussians or points" && gaussians.length > 0;
  const codes = new Set(drawn ? gaussians.map((gaussian) => gaussian[6]) : points.map((point) => point[2]));
  const words = classes.some((label) => typeof label === "string"); // if one label is a word, numbers are sorted as words too
  const labels = classes.map((label) => (words ? String(label) : label));
  return [...codes].sort((a, b) => ((labels[a] ?? "") < (labels[b] ?? "") ? -1 : 1));
}

/**
 * Removes start weights that do not fit the number of classes on the plane. Two classes need three numbers; more classes
 * need three numbers each. With fewer than two classes the weights stay, because the reader may still be adding points.
 *
 * @param {Board} board
 */
function panesWithFittingWeights(board) {
  const count = presentClasses(board, "points").length;
  /** @param {any} init */
  const fits = (init) => !init || count < 2 || (Array.isArray(init[0]) ? init.length === count : count === 2);
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

  /** Sets the board and tells the listeners. @param {Board} board */
  put(board) {
    const before = this.board;
    this.board = board;
    for (const listener of this.listeners) {
      listener(board, before);
    }
  }

  /**
   * Replaces some parts of the board. One undo reverts all changes of a group, such as those of one drag. It also
   * restores start weights that this change removed.
   *
   * @param {Partial<Board>} parts
   * @param {string | null} [group]
   */
  change(parts, group = null) {
    if (group === null || group !== this.group) {
      this.past = [...this.past.slice(1 - MAX_UNDO), this.board];
    }
    this.group = group;
    this.future = [];
    const board = { ...this.board, ...parts };
    this.put(parts.panes ? board : { ...board, panes: panesWithFittingWeights(board) });
  }

  /** Goes to a step. This is not a change that can be undone. @param {number} step */
  show(step) {
    if (step !== this.board.step) {
      this.put({ ...this.board, step });
    }
  }

  /** Opens a board and clears the undo history. @param {Board} board */
  open(board) {
    this.past = [];
    this.future = [];
    this.group = null;
    this.put(board);
  }

  undo() {
    this.restore(this.past, this.future);
  }

  redo() {
    this.restore(this.future, this.past);
  }

  /**
   * Restores the last board of one list and puts the current board on the other.
   *
   * @param {Board[]} from
   * @param {Board[]} to
   */
  restore(from, to) {
    const board = from.pop();
    if (board !== undefined) {
      to.push(this.board);
      this.group = null;
      this.put({ ...board, step: this.board.step });
    }
  }
}
