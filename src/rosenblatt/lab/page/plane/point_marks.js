/** The marks of the classes: circle, triangle, square, diamond, inverted triangle, plus. */

import { s } from "../base/dom.js";

/** @type {((r: number) => string)[]} */
const OUTLINES = [
  (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  (r) => `M0 ${-1.2 * r}L${1.12 * r} ${0.85 * r}H${-1.12 * r}z`,
  (r) => `M${-0.9 * r} ${-0.9 * r}H${0.9 * r}V${0.9 * r}H${-0.9 * r}z`,
  (r) => `M0 ${-1.25 * r}L${1.25 * r} 0L0 ${1.25 * r}L${-1.25 * r} 0z`,
  (r) => `M0 ${1.2 * r}L${1.12 * r} ${-0.85 * r}H${-1.12 * r}z`,
  (r) => `M${-0.4 * r} ${-1.15 * r}h${0.8 * r}v${0.75 * r}h${0.75 * r}v${0.8 * r}h${-0.75 * r}v${0.75 * r}h${-0.8 * r}v${-0.75 * r}h${-0.75 * r}v${-0.8 * r}h${0.75 * r}z`,
];

/**
 * The outline of the mark of a class, around the origin.
 *
 * @param {number} code
 * @param {number} r
 */
export function outline(code, r) {
  const draw = OUTLINES[code % OUTLINES.length] ?? OUTLINES[0];
  return draw ? draw(r) : "";
}

/** The size of the marks, depending on the number of points. @param {number} n @param {boolean} narrow */
export function markSize(n, narrow) {
  const size = n <= 40 ? 6.5 : n <= 150 ? 5 : n <= 500 ? 4 : 3;
  return narrow ? size * 0.9 : size;
}

/** The mark of a class as a small picture. @param {number} code */
export function swatch(code) {
  const look = { class: "swatch", viewBox: "-8 -8 16 16", width: 16, height: 16, "aria-hidden": "true" };
  return s("svg", look, s("path", { class: `mark c${code}`, d: outline(code, 5.5) }));
}
