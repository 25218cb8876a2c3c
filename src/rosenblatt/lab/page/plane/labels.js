/** Labels on a plane keep out of each other's way: one that has no place of its own moves, or is left out. */

import { set } from "../base/dom.js";

const [LETTER, LINE] = [7, 15]; // pixels of a letter across, and of a line of text

/** @typedef {{left: number, right: number, top: number, bottom: number}} Place */

/** Where each label was meant to be. @type {WeakMap<SVGTextElement, [number, number]>} */
const meant = new WeakMap();

/** @param {Place} a @param {Place} b */
const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** @param {SVGTextElement} label @returns {[number, number]} */
function home(label) {
  const at = meant.get(label) ?? [Number(label.getAttribute("x")), Number(label.getAttribute("y"))];
  meant.set(label, at);
  return at;
}

/**
 * Labels of weights, beside a mark, are tried on its four sides and left out if all are taken; others are shifted up or
 * down, and stay.
 *
 * @param {Element[]} groups of labels
 */
export function keepApart(groups) {
  /** @type {Place[]} */
  const taken = [];
  const labels = /** @type {SVGTextElement[]} */ (groups.flatMap((group) => [...group.children]));
  const { true: weights = [], false: others = [] } = Object.groupBy(labels, (label) => `${label.classList.contains("beside")}`);
  for (const label of [...others, ...weights]) {
    const [x, y] = home(label);
    const beside = label.classList.contains("beside");
    const wide = LETTER * (label.textContent?.length ?? 0);
    const across = wide + 2 * LINE;
    const ways = beside ? [[0, 0], [0, 2 * LINE], [-across, 0], [-across, 2 * LINE]] : [[0, 0], [0, -LINE], [0, LINE]];
    const places = ways.map(([dx = 0, dy = 0]) => {
      const left = x + dx - (beside ? 0 : wide / 2);
      return { dx, dy, left, right: left + wide, top: y + dy - LINE + 3, bottom: y + dy + 3 };
    });
    const free = places.find((place) => taken.every((other) => !meet(place, other)));
    const place = free ?? (beside ? undefined : places[0]);
    set(label, { x: x + (place?.dx ?? 0), y: y + (place?.dy ?? 0), visibility: place ? null : "hidden" });
    place && taken.push(place);
  }
}
