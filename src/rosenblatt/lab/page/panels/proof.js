/** The verdict line below the plane, and the panel with its proof. */

import { LatestRequest } from "../base/api.js";
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
    this.button = h("button", { type: "button", onclick: () => this.fewestRequest.ask({ board: board() }) }, "Fewest errors of a line");
    const fewest = h("div", { class: "fewest" }, this.button, this.answer);
    this.element = h("div", { class: "proof" }, this.explain, this.facts, this.witness, fewest);
    this.fewestRequest = new LatestRequest("/api/fewest", {
      onAnswer: ({ text }) => write(this.answer, text),
      onRefused: (sentence) => write(this.answer, sentence),
      onSlow: status.setSlow,
    });
    this.verdictRequest = new LatestRequest("/api/verdict", {
      onAnswer: (verdict) => this.show(verdict),
      onRefused: (sentence) => this.showError(sentence),
      onSlow: status.setSlow,
      retry: true,
    });
  }

  /** @param {Board} board */
  ask(board) {
    this.verdictRequest.ask({ board });
  }

  /** The shapes to draw now. @returns {Shape[]} */
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
    const title = h("caption", {}, two ? "The witness: with these weights, both classes have the same mean" : "The witness: points and their weights");
    return h("table", { class: "run" }, title, h("thead", {}, head), h("tbody", {}, ...rows));
  }

  /** @param {string} sentence */
  showError(sentence) {
    this.verdict = null;
    set(this.line, { "data-kind": "empty" });
    write(this.headline, sentence);
    write(this.explain, "");
    this.facts.replaceChildren();
    this.witness.replaceChildren();
    this.changed();
  }
}
