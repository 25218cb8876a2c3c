/** Keeps labels on a plane apart: a label that overlaps another one moves, or is hidden. */

import { set } from "../base/dom.js";

const [LETTER_WIDTH, LINE_HEIGHT] = [7, 15]; // pixels

/** @typedef {{left: number, right: number, top: number, bottom: number}} Place */

/** The wanted place of each label. @type {WeakMap<SVGTextElement, [number, number]>} */
const wantedPlaces = new WeakMap();

/** @param {Place} a @param {Place} b */
const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** @param {SVGTextElement} label @returns {[number, number]} */
function wantedPlace(label) {
  const at = wantedPlaces.get(label) ?? [Number(label.getAttribute("x")), Number(label.getAttribute("y"))];
  wantedPlaces.set(label, at);
  return at;
}

/**
 * Moves overlapping labels. A label beside a mark is tried at four places and hidden if all are taken. Another label is
 * moved up or down, and is never hidden.
 *
 * @param {Element[]} groups of labels
 */
export function keepApart(groups) {
  /** @type {Place[]} */
  const taken = [];
  const labels = /** @type {SVGTextElement[]} */ (groups.flatMap((group) => [...group.children]));
  const { true: weights = [], false: others = [] } = Object.groupBy(labels, (label) => `${label.classList.contains("beside")}`);
  for (const label of [...others, ...weights]) {
    const [x, y] = wantedPlace(label);
    const beside = label.classList.contains("beside");
    const width = LETTER_WIDTH * (label.textContent?.length ?? 0);
    const [across, down] = [width + 2 * LINE_HEIGHT, 2 * LINE_HEIGHT];
    const besideMark = [[0, 0], [0, down], [-across, 0], [-across, down]];
    const shifts = beside ? besideMark : [[0, 0], [0, -LINE_HEIGHT], [0, LINE_HEIGHT]];
    const places = shifts.map(([dx = 0, dy = 0]) => {
      const left = x + dx - (beside ? 0 : width / 2);
      return { dx, dy, left, right: left + width, top: y + dy - LINE_HEIGHT + 3, bottom: y + dy + 3 };
    });
    const free = places.find((place) => taken.every((other) => !overlap(place, other)));
    const place = free ?? (beside ? undefined : places[0]);
    set(label, { x: x + (place?.dx ?? 0), y: y + (place?.dy ?? 0), visibility: place ? null : "hidden" });
    place && taken.push(place);
  }
}
