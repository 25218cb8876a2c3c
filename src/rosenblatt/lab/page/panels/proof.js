/** What is proved about the points on the screen: the verdict as a line below the plane, its proof in a panel. */

import { Latest } from "../base/api.js";
import { h, set, write } from "../base/dom.js";

/** @import { Board, Shape, Verdict } from "../base/types.js" */
/** @import { Status } from "../base/status.js" */

export class Proof {
  /** @param {Status} status @param {() => Board} board @param {() => void} changed */
  constructor(status, board, changed) {
    this.changed = changed;
    /** @type {Verdict | null} */
    this.verdict = null;
    this.headline = h("span", { class: "headline", "aria-live": "polite" });
    this.box = h("input", { type: "checkbox", id: "draw-proof", onchange: changed });
    const toggle = h("label", { class: "check", for: "draw-proof" }, this.box, "draw the proof");
    this.line = h("div", { class: "verdict", role: "group", "aria-label": "Verdict" }, this.headline, toggle);
    this.explain = h("p", { class: "explain" });
    this.facts = h("dl", { class: "facts" });
    this.witness = h("div", { class: "witness" });
    this.answer = h("p", { class: "fewest-answer", "aria-live": "polite" });
    this.button = h("button", { type: "button", onclick: () => this.few.ask({ board: board() }) }, "Fewest errors of a line");
    const fewest = h("div", { class: "fewest" }, this.button, this.answer);
    this.element = h("div", { class: "proof" }, this.explain, this.facts, this.witness, fewest);
    this.few = new Latest("/api/fewest", {
      answer: ({ text }) => write(this.answer, text),
      refuse: (sentence) => write(this.answer, sentence),
      wait: status.wait,
    });
    this.latest = new Latest("/api/verdict", {
      answer: (verdict) => this.show(verdict),
      refuse: (sentence) => this.refuse(sentence),
      wait: status.wait,
      patient: true,
    });
  }

  /** @param {Board} board */
  ask(board) {
    this.latest.ask({ board });
  }

  /** What is to be drawn now. @returns {Shape[]} */
  get shapes() {
    return this.box.checked ? (this.verdict?.shapes ?? []) : [];
  }

  /** @param {boolean} drawn */
  draw(drawn) {
    this.box.checked = drawn;
    this.changed();
  }

  /** @param {Verdict} verdict */
  show(verdict) {
    this.verdict = verdict;
    set(this.line, { "data-kind": verdict.kind });
    write(this.headline, verdict.headline);
    write(this.explain, verdict.explain);
    write(this.answer, "");
    const facts = verdict.facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]);
    this.facts.replaceChildren(...facts);
    this.witness.replaceChildren(...(verdict.witness.length ? [this.weights(verdict)] : []));
    this.changed();
  }

  /** @param {Verdict} verdict */
  weights({ witness }) {
    const head = h("tr", {}, ...["point", "class", "weight"].map((name) => h("th", { scope: "col" }, name)));
    const rows = witness.map((part) =>
      h("tr", {}, h("td", { class: "number" }, part.row), h("td", {}, part.class), h("td", { class: "number" }, part.weight)),
    );
    const two = new Set(witness.map((part) => part.class)).size <= 2;
    const title = h("caption", {}, two ? "The witness: weights under which a point lies in both hulls" : "The witness, with its weights");
    return h("table", { class: "run" }, title, h("thead", {}, head), h("tbody", {}, ...rows));
  }

  /** @param {string} sentence */
  refuse(sentence) {
    this.verdict = null;
    set(this.line, { "data-kind": "empty" });
    write(this.headline, sentence);
    write(this.explain, "");
    this.facts.replaceChildren();
    this.witness.replaceChildren();
    this.changed();
  }
}
