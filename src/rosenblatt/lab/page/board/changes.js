/** The changes that a reader can make to a board: add, move and delete points and ellipses, and set their classes. */

/** @import { Gaussian, XY } from "../base/types.js" */
/** @import { Store } from "./store.js" */

export class Changes {
  /**
   * @param {Store} store
   * @param {{points: number, gaussians: number}} limits
   * @param {(sentence: string) => void} say
   */
  constructor(store, limits, say) {
    this.store = store;
    this.limits = limits;
    this.say = say;
  }

  get board() {
    return this.store.board;
  }

  /** @param {XY} at @param {number} code @param {string} group @returns {number | null} the number of the new point */
  addPoint([x, y], code, group) {
    const { points } = this.board;
    if (points.length >= this.limits.points) {
      this.say(`The lab takes at most ${this.limits.points} points. Delete some first.`);
      return null;
    }
    this.store.change({ points: [...points, [x, y, code]] }, group);
    return points.length;
  }

  /** @param {number} i @param {XY} at @param {string} group */
  movePoint(i, [x, y], group) {
    const [oldX, oldY, code] = this.board.points[i] ?? [NaN, NaN, 0];
    if (x !== oldX || y !== oldY) {
      this.store.change({ points: this.board.points.with(i, [x, y, code]) }, group);
    }
  }

  /** @param {number} i @param {number} code */
  setClass(i, code) {
    const point = this.board.points[i];
    if (point && point[2] !== code && code < this.board.classes.length) {
      this.store.change({ points: this.board.points.with(i, [point[0], point[1], code]) });
      this.say(`Point ${i} now has class ${this.board.classes[code]}.`);
    }
  }

  /** @param {number} i @param {string | null} [group] */
  removePoint(i, group = null) {
    this.store.change({ points: this.board.points.toSpliced(i, 1) }, group);
  }

  /** Deletes all points and ellipses. */
  clear() {
    this.store.change({ points: [], gaussians: [], step: 0 });
  }

  /** @param {Gaussian} gaussian @param {string} group @returns {number | null} the number of the new ellipse */
  addGaussian(gaussian, group) {
    const { gaussians } = this.board;
    if (gaussians.length >= this.limits.gaussians) {
      this.say(`The lab takes at most ${this.limits.gaussians} ellipses. Delete some first.`);
      return null;
    }
    this.store.change({ gaussians: [...gaussians, gaussian] }, group);
    return gaussians.length;
  }

  /** @param {number} i @param {Gaussian} gaussian @param {string | null} [group] */
  setGaussian(i, gaussian, group = null) {
    this.store.change({ gaussians: this.board.gaussians.with(i, gaussian) }, group);
  }

  /** @param {number} i @param {number} handle 0: centre, 1 and 2: ends of the half-axes @param {XY} at @param {string} group */
  setHandle(i, handle, [x, y], group) {
    const gaussian = this.board.gaussians[i];
    if (gaussian) {
      const moved = gaussian.with(2 * handle, x).with(2 * handle + 1, y);
      this.setGaussian(i, /** @type {Gaussian} */ (/** @type {unknown} */ (moved)), group);
    }
  }

  /** @param {number} i */
  removeGaussian(i) {
    this.store.change({ gaussians: this.board.gaussians.toSpliced(i, 1) });
  }
}
