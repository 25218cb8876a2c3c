/** Which line is which: a line of text below the plane, for all that a run or a proof may draw. */

import { h, s } from "../base/dom.js";

/** @import { Run, Shape } from "../base/types.js" */

/** @type {[string, string][]} looks and names, in the order in which they are told */
const RUN = [
  ["line boundary", "boundary"],
  ["line before", "before this step"],
  ["line answer", "answer"],
  ["line nearest", "nearest points"],
  ["mark support", "counts, with this weight"],
  ["ellipse touching", "touching ellipses"],
  ["polygon tie", "tie of classes"],
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

/** @param {Shape[]} shapes */
const looks = (shapes) => new Set(shapes.map(({ type, role }) => `${type} ${role}`));

/** @param {string} look @param {string} name @param {string} id of the plane, which has the hatches */
function entry(look, name, id) {
  const sample = s("svg", { class: "sample", viewBox: "0 0 22 10", width: 22, height: 10, "aria-hidden": "true" });
  const [type = "", role] = look.split(" ");
  const d = SAMPLES[type] ?? "M1 1H21V9H1z";
  const hatch = type === "polygon" && s("path", { class: "hatched", d, fill: `url(#${id}-${role})` });
  sample.append(s("path", { class: `shape ${look}`, d }), hatch || "");
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
    const drawn = looks([...(run?.grounds ?? []).flat(), ...(run?.frames ?? []).flatMap(({ shapes }) => shapes)]);
    const proved = looks(proof);
    /** @param {[string, string][]} names @param {Set<string>} seen */
    const entries = (names, seen) => names.filter(([look]) => seen.has(look)).map(([look, name]) => entry(look, name, this.id));
    this.element.replaceChildren(...entries(RUN, drawn), h("span", { class: "proof-shapes" }, ...entries(PROOF, proved)));
  }
}
