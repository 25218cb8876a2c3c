/** Which line is which: a line of text below the plane, for all that a run or a proof may draw. */

import { h, s } from "./dom.js";

/** @import { Run, Shape } from "./types.js" */

/** @type {[string, string][]} looks and names, in the order in which they are told */
const RUN = [
  ["line boundary", "boundary"],
  ["line before", "before this step"],
  ["line answer", "boundary that answers"],
  ["line nearest", "between the nearest points"],
  ["ellipse touching", "ellipses that touch it"],
  ["polygon tie", "a tie of classes"],
  ["polygon none", "no class claims it"],
];

/** @type {[string, string][]} */
const PROOF = [
  ["line boundary", "separating line"],
  ["line margin", "its margin"],
  ["line nearest", "between the nearest points"],
  ["line segment", "what lies in both hulls"],
  ["line answer", "your line"],
];

/** @param {Shape[]} shapes */
const looks = (shapes) => new Set(shapes.map(({ type, role }) => `${type} ${role}`));

/** @param {string} look @param {string} name */
function entry(look, name) {
  const sample = s("svg", { class: "sample", viewBox: "0 0 22 10", width: 22, height: 10, "aria-hidden": "true" });
  const d = look.startsWith("line") ? "M1 5H21" : look.startsWith("ellipse") ? "M1 5a10 4 0 1 0 20 0a10 4 0 1 0 -20 0" : "M1 1H21V9H1z";
  sample.append(s("path", { class: `shape ${look}`, d }));
  return h("span", { class: "key" }, sample, name);
}

export class Legend {
  constructor() {
    this.element = h("p", { class: "plane-legend" });
    /** @type {Run | null} */
    this.run = null;
    /** @type {Shape[]} */
    this.proof = [];
  }

  /** @param {Run | null} run @param {Shape[]} proof */
  show(run, proof) {
    if (run === this.run && proof === this.proof) {
      return;
    }
    this.run = run;
    this.proof = proof;
    const drawn = looks([...(run?.grounds ?? []).flat(), ...(run?.frames ?? []).flatMap(({ shapes }) => shapes)]);
    const proved = looks(proof);
    const over = h("span", { class: "proof-shapes" }, ...PROOF.filter(([look]) => proved.has(look)).map(([look, name]) => entry(look, name)));
    this.element.replaceChildren(...RUN.filter(([look]) => drawn.has(look)).map(([look, name]) => entry(look, name)), over);
  }
}
