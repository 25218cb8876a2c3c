/** The Gaussians that the reader draws: ellipses with handles at the centre and at the ends of two half-axes. */

import { s, set } from "../base/dom.js";
import { ellipsePath } from "./arrows_lines_areas.js";

/** @import { Board, Gaussian, XY } from "../base/types.js" */
/** @import { Plane } from "./plane.js" */

const HANDLES = ["centre", "first half-axis", "second half-axis"];

export class Ellipses {
  /** @param {Plane} plane */
  constructor(plane) {
    this.plane = plane;
    /** @type {{body: SVGPathElement, spokes: SVGPathElement, handles: SVGGElement[], group: SVGGElement}[]} */
    this.drawn = [];
  }

  /** @param {Board} board */
  draw(board) {
    while (this.drawn.length > board.gaussians.length) {
      this.drawn.pop()?.group.remove();
    }
    board.gaussians.forEach((gaussian, i) => {
      const made = this.drawn[i] ?? this.make(i);
      this.place(made, gaussian, i, board);
    });
  }

  /** Creates the elements of an ellipse. @param {number} i */
  make(i) {
    const handles = HANDLES.map((_, k) => {
      const keys = { "data-gaussian": i, "data-handle": k, role: "button", tabindex: 0 };
      return s("g", keys, s("circle", { class: "reach", r: 18 }), s("circle", { class: "knob", r: k === 0 ? 5 : 6 }));
    });
    const made = { body: s("path"), spokes: s("path", { class: "spokes" }), handles, group: s("g") };
    made.group.append(made.body, made.spokes, ...handles);
    this.plane.gaussians.append(made.group);
    this.drawn[i] = made;
    return made;
  }

  /**
   * Moves the elements of an ellipse to its place.
   *
   * @param {{body: SVGPathElement, spokes: SVGPathElement, handles: SVGGElement[]}} made
   * @param {Gaussian} gaussian
   * @param {number} i
   * @param {Board} board
   */
  place({ body, spokes, handles }, [mx, my, ax, ay, bx, by, code], i, board) {
    const { scale } = this.plane;
    set(body, { class: `drawn-gaussian c${code}`, d: ellipsePath([mx, my], [ax, ay], [bx, by], scale) });
    /** @type {XY[]} */
    const ends = [
      [mx, my],
      [mx + ax, my + ay],
      [mx + bx, my + by],
    ];
    const [centre, a, b] = ends.map((at) => scale.pixels(at));
    set(spokes, { d: `M${a}L${centre}L${b}` });
    handles.forEach((handle, k) => {
      const at = [centre, a, b][k];
      const name = `ellipse ${i}, class ${board.classes[code]}, ${HANDLES[k]}`;
      set(handle, { class: `handle h${k} c${code}`, transform: `translate(${at})`, "aria-label": name });
    });
  }
}
