/** Draws the shapes that Python computed. The type and the role of a shape become CSS classes. */

import { s } from "../base/dom.js";
import { outline } from "./point_marks.js";

/** @import { Shape, XY } from "../base/types.js" */
/** @import { Scale } from "./scale.js" */

const ARROW_HEAD = 9; // pixels

/** @typedef {{scale: Scale, id: string}} Canvas a plane; its id is part of the ids of its hatch patterns */

/** The CSS classes of a shape. @param {Shape} shape */
function cssClasses(shape) {
  const code = shape.code === undefined || shape.code === null ? "" : ` c${shape.code}`;
  return `shape ${shape.type} ${shape.role}${code}`;
}

/** @param {XY[]} points @param {Scale} scale */
function pathOf(points, scale) {
  return points.map((at, i) => (i ? "L" : "M") + scale.pixels(at).map((v) => v.toFixed(2)).join(" ")).join("");
}

/** The hatch pattern over a region, if its class or its role has one. @param {Shape} shape @param {string} id */
function hatchOf(shape, id) {
  if (shape.role === "none" || shape.role === "tie") {
    return `url(#${id}-${shape.role})`;
  }
  return shape.role === "region" && (shape.code ?? 0) % 2 === 1 ? `url(#${id}-hatch-${shape.code})` : null;
}

/**
 * An area: its fill colour, and the hatch pattern over it.
 *
 * @param {Shape} shape
 * @param {string} d
 * @param {Canvas} canvas
 */
function area(shape, d, canvas) {
  const hatch = hatchOf(shape, canvas.id);
  return [s("path", { class: cssClasses(shape), d }), hatch && s("path", { class: "hatched", d, fill: hatch })];
}

/** @param {Shape} shape @param {Canvas} canvas */
function polygon(shape, canvas) {
  return area(shape, `${pathOf(shape.points ?? [], canvas.scale)}z`, canvas);
}

/** A raster of cells. All cells of a class are one path, so that there are few elements. @param {Shape} shape @param {Canvas} canvas */
function cells(shape, canvas) {
  const { box = [0, 1, 0, 1], columns = 1, rows = 1, runs = [] } = shape;
  const { scale } = canvas;
  const width = (scale.x(box[1]) - scale.x(box[0])) / columns;
  const height = (scale.y(box[2]) - scale.y(box[3])) / rows;
  /** @type {Map<number, string[]>} */
  const parts = new Map();
  for (const [row, first, count, code] of runs) {
    const x = scale.x(box[0]) + first * width;
    const y = scale.y(box[2]) - (row + 1) * height;
    const part = `M${x.toFixed(1)} ${y.toFixed(1)}h${(count * width).toFixed(1)}v${height.toFixed(1)}h${(-count * width).toFixed(1)}z`;
    parts.set(code, [...(parts.get(code) ?? []), part]);
  }
  return [...parts].flatMap(([code, list]) => {
    /** @type {Shape} */
    const one = { ...shape, code: Math.max(code, 0), role: code < 0 ? "none" : "region" };
    return area(one, list.join(""), canvas);
  });
}

/** @param {Shape} shape @param {Canvas} canvas */
function line(shape, { scale }) {
  return [s("path", { class: cssClasses(shape), d: pathOf(shape.points ?? [], scale) })];
}

/** A text label. @param {XY} at @param {string} label @param {string} role */
function labelText([x, y], label, role) {
  return s("text", { class: `label ${role}`, x: x.toFixed(1), y: y.toFixed(1) }, label);
}

/** @param {Shape} shape @param {Canvas} canvas */
function arrow(shape, { scale }) {
  const [from, to] = (shape.points ?? []).map((at) => scale.pixels(at));
  if (!from || !to) {
    return [];
  }
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy);
  if (length < 0.5) {
    return [s("circle", { class: cssClasses(shape), cx: to[0], cy: to[1], r: 3 })];
  }
  const [ux, uy] = [dx / length, dy / length];
  const head = Math.min(ARROW_HEAD, length);
  const [bx, by] = [to[0] - ux * head, to[1] - uy * head];
  const [wx, wy] = [-uy * head * 0.42, ux * head * 0.42];
  const tip = `M${to[0]} ${to[1]}L${bx + wx} ${by + wy}L${bx - wx} ${by - wy}z`;
  /** @type {XY} */
  const beside = [to[0] + ux * 12, to[1] + uy * 12 + 4];
  return [
    s("path", { class: cssClasses(shape), d: `M${from[0]} ${from[1]}L${bx} ${by}` }),
    s("path", { class: `${cssClasses(shape)} head`, d: tip }),
    shape.label && labelText(insidePlane(beside, scale), shape.label, shape.role),
  ];
}

/** Moves the place of a label inside the plane. @param {XY} at @param {Scale} scale @returns {XY} */
function insidePlane([x, y], scale) {
  const [right, bottom] = [scale.left + scale.width, scale.top + scale.height];
  return [Math.min(Math.max(x, scale.left + 12), right - 12), Math.min(Math.max(y, scale.top + 14), bottom - 6)];
}

/** @param {Shape} shape @param {Canvas} canvas */
function arc(shape, { scale }) {
  const label = shape.label && shape.at && labelText(insidePlane(scale.pixels(shape.at), scale), shape.label, shape.role);
  return [s("path", { class: cssClasses(shape), d: pathOf(shape.points ?? [], scale) }), label];
}

/** @param {Shape} shape @param {Canvas} canvas */
function mark(shape, { scale }) {
  const [x, y] = scale.pixels(shape.at ?? [0, 0]);
  const sizes = { mean: 6, witness: 12, support: 11, contact: 4, nearest: 4.5 };
  const r = sizes[/** @type {keyof typeof sizes} */ (shape.role)] ?? 5;
  const d = shape.role === "mean" ? outline(shape.code ?? 0, r) : outline(0, r);
  return [
    s("path", { class: cssClasses(shape), d, transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})` }),
    shape.label && labelText(insidePlane([x + r + 5, y - r - 1], scale), shape.label, `beside ${shape.role}`),
  ];
}

/** @param {Shape} shape @param {Canvas} canvas */
function ellipse(shape, { scale }) {
  const { at = [0, 0], a = [1, 0], b = [0, 1] } = shape;
  return [s("path", { class: cssClasses(shape), d: ellipsePath(at, a, b, scale) })];
}

/**
 * An ellipse with a centre and two half-axes, as four Bezier curves.
 *
 * @param {XY} at
 * @param {XY} a
 * @param {XY} b
 * @param {Scale} scale
 */
export function ellipsePath(at, a, b, scale) {
  const k = 0.5522847498;
  /** @param {number} u @param {number} v */
  const place = (u, v) => {
    const [x, y] = scale.pixels([at[0] + u * a[0] + v * b[0], at[1] + u * a[1] + v * b[1]]);
    return `${x.toFixed(2)} ${y.toFixed(2)}`;
  };
  return (
    `M${place(1, 0)}C${place(1, k)} ${place(k, 1)} ${place(0, 1)}C${place(-k, 1)} ${place(-1, k)} ${place(-1, 0)}` +
    `C${place(-1, -k)} ${place(-k, -1)} ${place(0, -1)}C${place(k, -1)} ${place(1, -k)} ${place(1, 0)}z`
  );
}

/** @param {Shape} shape @param {Canvas} canvas */
function text(shape, { scale }) {
  return [labelText(insidePlane(scale.pixels(shape.at ?? [0, 0]), scale), shape.text ?? "", shape.role)];
}

const DRAW = { polygon, cells, line, arrow, arc, mark, ellipse, text };

/**
 * Creates the elements of all shapes.
 *
 * @param {Shape[]} shapes
 * @param {Canvas} canvas
 * @returns {SVGElement[]}
 */
export function elementsOf(shapes, canvas) {
  /** @type {SVGElement[]} */
  const elements = [];
  for (const shape of shapes) {
    const made = DRAW[shape.type]?.(shape, canvas) ?? [];
    for (const element of made) {
      if (element) {
        if (shape.title && elements.at(-1) !== element) {
          element.append(s("title", {}, shape.title));
        }
        elements.push(element);
      }
    }
  }
  return elements;
}

/**
 * The hatch patterns of a plane: lines for every second class, dots where no class claims a place, a grid where several do.
 *
 * @param {string} id
 */
export function hatches(id) {
  /** @param {string} name @param {string} kind @param {string} d @param {number} turn @param {number} size */
  const pattern = (name, kind, d, turn, size) => {
    const box = { id: `${id}-${name}`, width: size, height: size, patternUnits: "userSpaceOnUse" };
    return s("pattern", { ...box, patternTransform: `rotate(${turn})` }, s("path", { class: kind, d }));
  };
  return s(
    "defs",
    {},
    pattern("hatch-1", "hatch c1", "M0 3.5H7", -45, 7),
    pattern("hatch-3", "hatch c3", "M0 3.5H7", 45, 7),
    pattern("hatch-5", "hatch c5", "M0 3.5H7", 0, 7),
    pattern("none", "hatch dots", "M3 3h.01", 0, 6),
    pattern("tie", "hatch dots", "M0 3H6M3 0V6", 45, 6),
  );
}
