/** The legend below the plane: the lines and marks that the run and the proof draw. */

import { h, s } from "../base/dom.js";

/** @import { Run, Shape } from "../base/types.js" */

/** @type {[string, string][]} CSS classes and names, in the order of the legend */
const RUN = [
  ["line boundary", "boundary"],
  ["line before", "before this step"],
  ["line answer", "answer"],
  ["line nearest", "nearest points"],
  ["mark support", "point with its weight"],
  ["ellipse touching", "touching ellipses"],
  ["polygon tie", "tie between classes"],
  ["polygon none", "claimed by no class"],
];

/** @type {[string, string][]} */
const PROOF = [
  ["line boundary", "separating line"],
  ["line margin", "margin"],
  ["line nearest", "nearest points"],
  ["line segment", "in both hulls"],
  ["line answer", "your line"],
];

/** @type {Record<string, string>} */
const SAMPLES = {
  line: "M1 5H21",
  ellipse: "M1 5a10 4 0 1 0 20 0a10 4 0 1 0 -20 0",
  mark: "M7 5a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
};

/** The types and roles that occur. @param {Shape[]} shapes */
const kindsOf = (shapes) => new Set(shapes.map(({ type, role }) => `${type} ${role}`));

/** An entry of the legend. @param {string} kind @param {string} name @param {string} id of the plane with the hatch patterns */
function entry(kind, name, id) {
  const sample = s("svg", { class: "sample", viewBox: "0 0 22 10", width: 22, height: 10, "aria-hidden": "true" });
  const [type = "", role] = kind.split(" ");
  const d = SAMPLES[type] ?? "M1 1H21V9H1z";
  const hatch = type === "polygon" && s("path", { class: "hatched", d, fill: `url(#${id}-${role})` });
  sample.append(s("path", { class: `shape ${kind}`, d }), hatch || "");
  return h("span", { class: "key" }, sample, name);
}

export class Legend {
  /** @param {string} id of its plane */
  constructor(id) {
    this.id = id;
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
    const drawn = kindsOf([...(run?.grounds ?? []).flat(), ...(run?.frames ?? []).flatMap(({ shapes }) => shapes)]);
    const proved = kindsOf(proof);
    /** @param {[string, string][]} names @param {Set<string>} seen */
    const entries = (names, seen) => names.filter(([kind]) => seen.has(kind)).map(([kind, name]) => entry(kind, name, this.id));
    this.element.replaceChildren(...entries(RUN, drawn), h("span", { class: "proof-shapes" }, ...entries(PROOF, proved)));
  }
}
