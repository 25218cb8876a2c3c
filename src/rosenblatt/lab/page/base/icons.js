/** Icons of the buttons, as SVG paths in a box of 16 x 16. */

import { s } from "./dom.js";

/** @type {Record<string, string>} */
const STROKES = {
  add: "M8 3v10M3 8h10",
  move: "M8 2v12M2 8h12M6 4l2-2 2 2M6 12l2 2 2-2M4 6L2 8l2 2M12 6l2 2-2 2",
  paint: "M4 4.5h.01M8 3h.01M11.5 5h.01M5.5 8h.01M9.5 8h.01M13 9h.01M3.5 11.5h.01M7.5 12.5h.01M11 12h.01",
  erase: "M6.5 13L2.8 9.3a1 1 0 0 1 0-1.4L8 2.7a1 1 0 0 1 1.4 0l3.9 3.9a1 1 0 0 1 0 1.4L8.5 13zM5.5 5.5l5 5M6.5 13h7",
  ellipse: "M2 8a6 3.6 0 1 0 12 0a6 3.6 0 1 0 -12 0M8 8h.01",
  line: "M2.5 13.5l11-11",
  first: "M3.5 3v10M12.5 3.5L6 8l6.5 4.5z",
  back: "M10.5 3.5L4 8l6.5 4.5M13 3.5v9",
  play: "M4.5 3l8 5-8 5z",
  pause: "M5 3v10M11 3v10",
  forward: "M5.5 3.5L12 8l-6.5 4.5M3 3.5v9",
  last: "M12.5 3v10M3.5 3.5L10 8l-6.5 4.5z",
  undo: "M6 3L2.5 6.5 6 10M3 6.5h6.5a3.5 3.5 0 0 1 0 7H7",
  redo: "M10 3l3.5 3.5L10 10M13 6.5H6.5a3.5 3.5 0 0 0 0 7H9",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  zoomIn: "M7 3a4 4 0 1 0 0 8 4 4 0 1 0 0-8M10 10l3.5 3.5M7 5.2v3.6M5.2 7h3.6",
  zoomOut: "M7 3a4 4 0 1 0 0 8 4 4 0 1 0 0-8M10 10l3.5 3.5M5.2 7h3.6",
  light: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 1 0 0-5.6M8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1",
  dark: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
  system: "M2 3h12v8H2zM6 13.5h4M8 11v2.5",
  close: "M4 4l8 8M12 4l-8 8",
  snap: "M2.5 2.5h.01M8 2.5h.01M13.5 2.5h.01M2.5 8h.01M13.5 8h.01M2.5 13.5h.01M8 13.5h.01M13.5 13.5h.01M8 6.5v3M6.5 8h3",
  clear: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M7 7v3.5M9 7v3.5",
};

/**
 * Creates an icon.
 *
 * @param {string} name
 * @returns {SVGSVGElement}
 */
export function icon(name) {
  const look = { class: "icon", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", focusable: "false" };
  return s("svg", look, s("path", { d: STROKES[name] ?? "" }));
}
