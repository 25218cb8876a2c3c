/** The plane: axes, points, and the shapes that Python computed. Only the parts that changed are drawn again. */

import { h, s, set } from "../base/dom.js";
import { keepApart } from "./labels.js";
import { markSize, outline } from "./point_marks.js";
import { coordinateText, Scale, ticks, tickText } from "./scale.js";
import { elementsOf, hatches } from "./arrows_lines_areas.js";

/** @import { Board, Point, Run, Shape, XY } from "../base/types.js" */

/**
 * @typedef {object} Picture the contents of a plane
 * @property {Board} board
 * @property {Shape[]} ground shapes that change only with the weights
 * @property {Shape[]} shapes shapes of the step
 * @property {Shape[]} proof
 * @property {number[]} current numbers of the points that the step is about
 * @property {number | null} selected number of the selected point
 */

const NARROW_WIDTH = 480; // pixels; a narrower plane has smaller margins and marks
const LAYERS = /** @type {const} */ (["ground", "shapes", "proof"]);
const MARGINS = { left: 36, right: 8, top: 8, bottom: 24 };
const NARROW_MARGINS = { left: 28, right: 6, top: 6, bottom: 20 };

export class Plane {
  /** @param {number} number of the pane */
  constructor(number) {
    this.id = `plane-${number}`;
    this.name = number === 0 ? "Plane" : "Second plane";
    this.grid = s("g", { class: "grid" });
    this.axes = s("g", { class: "axes", "aria-hidden": "true" });
    this.layers = {
      ground: s("g", { class: "ground", "aria-hidden": "true" }),
      shapes: s("g", { class: "shapes", "aria-hidden": "true" }),
      proof: s("g", { class: "proof-shapes", "aria-hidden": "true" }),
    };
    this.labels = { ground: s("g"), shapes: s("g"), proof: s("g") }; // labels are drawn over the points
    this.gaussians = s("g", { class: "gaussians" });
    this.pointLayer = s("g", { class: "points", role: "group", "aria-label": "Points" });
    this.rings = s("g", { class: "rings", "aria-hidden": "true" });
    this.cursor = s("path", { class: "cursor", d: "M-9 0H9M0 -9V9", hidden: true, "data-not-exported": true });
    this.frame = s("rect", { class: "frame" });
    this.window = s("rect", {});
    const clip = { "clip-path": `url(#${this.id}-window)` };
    this.svg = s(
      "svg",
      { class: "plane", tabindex: 0, role: "application", "aria-roledescription": "plane", id: this.id },
      hatches(this.id),
      s("clipPath", { id: `${this.id}-window` }, this.window),
      s("rect", { class: "paper", width: "100%", height: "100%" }),
      s("g", clip, this.layers.ground, this.grid, this.layers.shapes, this.layers.proof, this.gaussians),
      this.frame,
      this.axes,
      s("g", clip, this.rings),
      this.pointLayer,
      s("g", { class: "labels", "aria-hidden": "true" }, ...Object.values(this.labels)),
      this.cursor,
    );
    this.element = h("div", { class: "plane-box" }, this.svg);
    /** @type {Scale} */
    this.scale = new Scale([0, 1, 0, 1], 400, 300, MARGINS);
    /** @type {Picture | null} */
    this.picture = null;
    /** @type {SVGPathElement[]} */
    this.marks = [];
    this.size = 6;
    /** @type {(() => void)[]} */
    this.onRescale = [];
    new ResizeObserver(() => this.picture && this.draw(this.picture)).observe(this.element);
  }

  /** @param {Picture} picture */
  draw(picture) {
    const before = this.picture;
    this.picture = picture;
    const scaled = this.rescale(picture.board);
    const stale = LAYERS.filter((layer) => scaled || before?.[layer] !== picture[layer]);
    for (const layer of stale) {
      const elements = elementsOf(picture[layer], this);
      this.layers[layer].replaceChildren(...elements.filter((element) => !(element instanceof SVGTextElement)));
      this.labels[layer].replaceChildren(...elements.filter((element) => element instanceof SVGTextElement));
    }
    if (stale.length > 0) {
      keepApart(Object.values(this.labels));
    }
    this.drawPoints(picture, scaled ? null : before);
    if (scaled) {
      this.onRescale.forEach((listener) => listener());
    }
  }

  /** Fits the scale and the axes to the size of the box and to the view. Returns whether they changed. @param {Board} board */
  rescale(board) {
    const { clientWidth: width, clientHeight: height } = this.element;
    const scale = new Scale(board.view, width, height, width < NARROW_WIDTH ? NARROW_MARGINS : MARGINS);
    const size = markSize(board.points.length, width < NARROW_WIDTH);
    const same = scale.equals(this.scale) && size === this.size && board.names === this.names;
    if (same || width === 0) {
      return false;
    }
    this.scale = scale;
    this.size = size;
    this.names = board.names;
    set(this.svg, { viewBox: `0 0 ${width} ${height}`, "data-view": board.view.join(" ") });
    const inner = { x: scale.left, y: scale.top, width: scale.width, height: scale.height };
    set(this.frame, inner);
    set(this.window, inner);
    this.drawAxes(board, width);
    return true;
  }

  /** @param {Board} board @param {number} width */
  drawAxes(board, width) {
    const { scale } = this;
    const [x0, x1, y0, y1] = board.view;
    const { step, at: across } = ticks(x0, x1, scale.width / 60);
    const up = ticks(y0, y1, ((y1 - y0) / step) * 1.001).at;
    const [bottom, right] = [scale.top + scale.height, scale.left + scale.width];
    /** @param {number} v */
    const zero = (v) => (Math.abs(v) < step / 1e6 ? " zero" : "");
    this.grid.replaceChildren(
      ...across.map((v) => s("path", { class: `line${zero(v)}`, d: `M${scale.x(v)} ${scale.top}V${bottom}` })),
      ...up.map((v) => s("path", { class: `line${zero(v)}`, d: `M${scale.left} ${scale.y(v)}H${right}` })),
    );
    const distance = width < NARROW_WIDTH ? 13 : 16;
    this.axes.replaceChildren(
      ...across.map((v) => s("text", { class: "x", x: scale.x(v), y: bottom + distance }, tickText(v, step))),
      ...up.map((v) => s("text", { class: "y", x: scale.left - 6, y: scale.y(v) + 4 }, tickText(v, step))),
      s("text", { class: "name", x: right - 7, y: bottom - 7 }, board.names[0]),
      s("text", { class: "name up", x: scale.left + 7, y: scale.top + 16 }, board.names[1]),
    );
  }

  /** @param {Picture} picture @param {Picture | null} before */
  drawPoints({ board, current, selected }, before) {
    const { points, classes } = board;
    while (this.marks.length > points.length) {
      this.marks.pop()?.remove();
    }
    const relabel = before?.board.classes !== classes;
    points.forEach((point, i) => {
      if (i >= this.marks.length) {
        const mark = s("path", { role: "button", "data-point": i, tabindex: -1 });
        this.marks.push(mark);
        this.pointLayer.append(mark);
        this.drawPoint(i, point, board);
      } else if (relabel || before?.board.points[i] !== point) {
        this.drawPoint(i, point, board);
      }
    });
    if (before?.selected !== selected || before?.board.points.length !== points.length) {
      this.marks.forEach((mark, i) => {
        const reachable = i === (selected ?? 0);
        set(mark, { tabindex: reachable ? 0 : -1, "aria-pressed": i === selected ? "true" : null });
      });
    }
    if (before?.current !== current || before.board.points !== points || before.selected !== selected) {
      this.drawRings(points, current, selected);
    }
    const count = `${points.length} ${points.length === 1 ? "point" : "points"}`;
    const keys = "Arrow keys move the cursor, Enter adds a point, N goes to the next point.";
    set(this.svg, { "aria-label": `${this.name} with ${count}. ${keys}` });
  }

  /** @param {number} i @param {Point} point @param {Board} board */
  drawPoint(i, [x, y, code], board) {
    const [px, py] = this.scale.pixels([x, y]);
    const outside = !this.scale.inside([px, py]);
    set(/** @type {SVGPathElement} */ (this.marks[i]), {
      class: `mark c${code}${outside ? " outside" : ""}`,
      d: outline(code, this.size),
      transform: `translate(${px.toFixed(2)} ${py.toFixed(2)})`,
      "aria-label": `point ${i}, class ${board.classes[code]}, at (${coordinateText(x)}, ${coordinateText(y)})`,
    });
  }

  /** @param {Point[]} points @param {number[]} current @param {number | null} selected */
  drawRings(points, current, selected) {
    /** @param {number} i @param {string} look @param {number} more */
    const ring = (i, look, more) => {
      const point = points[i];
      if (point === undefined) {
        return [];
      }
      const [cx, cy] = this.scale.pixels([point[0], point[1]]);
      return [s("circle", { class: look, cx, cy, r: this.size + more })];
    };
    const chosen = selected === null ? [] : ring(selected, "chosen", 5);
    this.rings.replaceChildren(...current.flatMap((i) => ring(i, "current", 7)), ...chosen);
  }

  /** Hides the axes of runs whose coordinates have no meaning. @param {Run} run */
  showAxes({ axes }) {
    for (const part of [this.axes, this.grid]) {
      set(part, { visibility: axes === false ? "hidden" : null });
    }
  }

  /** The place of a pointer, in pixels of the plane. @param {MouseEvent} event @returns {XY} */
  at(event) {
    const box = this.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** The point nearest to a place, if it is within reach. @param {XY} at pixels @param {number} reach pixels @returns {number | null} */
  nearestPoint([px, py], reach) {
    let [best, nearest] = [reach, /** @type {number | null} */ (null)];
    this.picture?.board.points.forEach(([x, y], i) => {
      const distance = Math.hypot(this.scale.x(x) - px, this.scale.y(y) - py);
      if (distance <= best) {
        [best, nearest] = [distance, i];
      }
    });
    return nearest;
  }

  /** @param {XY | null} at data coordinates of the keyboard's cursor */
  showCursor(at) {
    const [x, y] = at ? this.scale.pixels(at) : [0, 0];
    set(this.cursor, { transform: `translate(${x} ${y})`, hidden: at === null });
  }
}
