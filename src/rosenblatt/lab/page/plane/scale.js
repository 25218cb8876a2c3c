/** The scale between data coordinates and pixels, and the numbers on the axes. */

/** @import { Box, XY } from "../base/types.js" */

/** @typedef {{left: number, right: number, top: number, bottom: number}} Margins */

export class Scale {
  /**
   * @param {Box} view
   * @param {number} width of the whole picture
   * @param {number} height
   * @param {Margins} margins
   */
  constructor(view, width, height, margins) {
    const [x0, x1, y0, y1] = view;
    this.view = view;
    this.left = margins.left;
    this.top = margins.top;
    this.width = Math.max(width - margins.left - margins.right, 1);
    this.height = Math.max(height - margins.top - margins.bottom, 1);
    this.perX = this.width / (x1 - x0);
    this.perY = this.height / (y1 - y0);
  }

  /** @param {number} x */
  x(x) {
    return this.left + (x - this.view[0]) * this.perX;
  }

  /** @param {number} y */
  y(y) {
    return this.top + (this.view[3] - y) * this.perY;
  }

  /**
   * @param {XY} at data coordinates
   * @returns {XY} pixels
   */
  pixels([x, y]) {
    return [this.x(x), this.y(y)];
  }

  /**
   * @param {XY} at pixels
   * @returns {XY} data coordinates
   */
  data([px, py]) {
    return [this.view[0] + (px - this.left) / this.perX, this.view[3] - (py - this.top) / this.perY];
  }

  /** @param {XY} at pixels */
  inside([px, py]) {
    return px >= this.left && px <= this.left + this.width && py >= this.top && py <= this.top + this.height;
  }

  /** @param {Scale | null} other */
  equals(other) {
    return other !== null && this.view === other.view && this.width === other.width && this.height === other.height;
  }
}

/**
 * Rounds up to 1, 2 or 5 times a power of ten.
 *
 * @param {number} value
 */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((times) => times * power >= value * (1 - 1e-9)) ?? 10);
}

/**
 * Places for the numbers on an axis.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} maxCount
 * @returns {{step: number, at: number[]}}
 */
export function ticks(low, high, maxCount) {
  const step = roundUp((high - low) / Math.max(maxCount, 1));
  const at = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9 && at.length < 50; k += 1) {
    at.push(k * step);
  }
  return { step, at };
}

/**
 * A number on an axis as text, with as many decimals as the step between the numbers needs.
 *
 * @param {number} value
 * @param {number} step
 * @returns {string}
 */
export function tickText(value, step) {
  const decimals = Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));
  const size = Math.abs(value);
  const text = size >= 1e6 || (size > 0 && size < 1e-4) ? value.toExponential(1) : value.toFixed(decimals);
  return (Number(text) === 0 ? "0" : text).replace("-", "\u2212");
}

/**
 * Rounds a place that the reader chose: to the grid, or to about 1/100 of the view.
 *
 * @param {XY} at
 * @param {Box} view
 * @param {boolean} snap
 * @returns {XY}
 */
export function roundedPlace([x, y], view, snap) {
  const width = view[1] - view[0];
  const step = snap ? ticks(view[0], view[1], 10).step / 2 : 10 ** Math.floor(Math.log10(width / 100));
  const decimals = Math.max(0, Math.min(15, 1 - Math.floor(Math.log10(step) + 1e-9)));
  return [Number((Math.round(x / step) * step).toFixed(decimals)), Number((Math.round(y / step) * step).toFixed(decimals))];
}

/** How far one press of an arrow key moves. @param {Box} view @param {boolean} large */
export function keyStep(view, large) {
  const { step } = ticks(view[0], view[1], 10);
  return large ? step / 2 : step / 10;
}

/** A coordinate as text for screen readers. @param {number} value */
export function coordinateText(value) {
  return String(Number(value.toPrecision(6)));
}
