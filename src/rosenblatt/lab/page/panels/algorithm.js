/** The panel that chooses the algorithm of a pane and its options. */

import { h, set, write } from "../base/dom.js";
import { OptionForm } from "./options.js";
import { presentClasses } from "../board/store.js";

/** @import { Algorithm, Board, Catalogue, Option } from "../base/types.js" */
/** @import { Store } from "../board/store.js" */

export class AlgorithmPanel {
  /**
   * @param {number} number of the pane
   * @param {Catalogue} catalogue
   * @param {Store} store
   * @param {(sentence: string) => void} showError
   */
  constructor(number, catalogue, store, showError) {
    this.number = number;
    this.catalogue = catalogue;
    this.store = store;
    this.select = h("select", { "aria-label": "Algorithm", class: "algorithm", onchange: () => this.choose() });
    const groups = Map.groupBy(catalogue.algorithms, (algorithm) => algorithm.group);
    for (const [label, algorithms] of groups) {
      const entries = algorithms.map((one) => h("option", { value: one.name }, one.label));
      this.select.append(h("optgroup", { label }, ...entries));
    }
    this.words = ""; // the algorithm and its chosen options
    this.shown = "";
    this.about = h("p", { class: "about" });
    this.form = new OptionForm((options) => this.change(this.current().name, options), showError);
    this.chosen = h("span", { class: "chosen-options" });
    const tall = matchMedia("(min-width: 700px) and (min-height: 1000px)").matches;
    const head = h("summary", {}, h("span", { class: "word" }, "Options"), this.chosen);
    this.details = h("details", { class: "panel", open: tall }, head, h("div", { class: "panel-body" }, this.about, this.form.element));
    this.element = h("section", { class: "algorithm-panel", "aria-label": "Algorithm" }, this.select, this.details);
  }

  /** @returns {Algorithm} */
  current() {
    const name = this.store.board.panes[this.number]?.algorithm;
    const found = this.catalogue.algorithms.find((algorithm) => algorithm.name === name);
    return found ?? /** @type {Algorithm} */ (this.catalogue.algorithms[0]);
  }

  /** Takes the chosen algorithm, and keeps the options that it knows. */
  choose() {
    const chosen = this.catalogue.algorithms.find((algorithm) => algorithm.name === this.select.value);
    const kept = this.store.board.panes[this.number]?.options ?? {};
    const known = Object.entries(kept).filter(([name, value]) => {
      const option = chosen?.options.find((one) => one.name === name);
      return option?.choices?.some((choice) => choice.value === value) ?? false;
    });
    this.change(this.select.value, Object.fromEntries(known));
  }

  /** @param {string} algorithm @param {Record<string, any>} options */
  change(algorithm, options) {
    this.store.change({ panes: this.store.board.panes.with(this.number, { algorithm, options }) });
  }

  /** Describes an option that differs from its default. @param {Option} option @param {unknown} value */
  describe(option, value) {
    if (value === undefined || JSON.stringify(value) === JSON.stringify(option.default)) {
      return [];
    }
    const named = option.choices?.find((choice) => choice.value === value)?.label;
    const several = Array.isArray(value) && Array.isArray(value[0]) ? value.map((row) => `(${row.join(", ")})`) : value;
    const text = named ?? (Array.isArray(several) ? several.join(", ") : typeof value === "boolean" ? (value ? "yes" : "no") : value);
    return [`${option.label}: ${text}`];
  }

  /** @param {Board} board */
  show(board) {
    const pane = board.panes[this.number];
    if (!pane) {
      return;
    }
    const algorithm = this.current();
    const count = board.classes.length;
    for (const entry of this.select.querySelectorAll("option")) {
      const { classes, needs } = this.catalogue.algorithms.find(({ name }) => name === entry.value) ?? algorithm;
      set(entry, { disabled: count < classes[0] || presentClasses(board, needs).length > classes[1] });
    }
    if (this.shown !== algorithm.name && algorithm.options.some(({ kind }) => kind === "slider")) {
      this.details.open = true; // so that the reader sees the slider
    }
    this.shown = this.select.value = algorithm.name;
    write(this.about, algorithm.about);
    this.form.show(algorithm.options, pane.options, presentClasses(board, "points").map((code) => [code, board.classes[code] ?? ""]));
    const chosen = algorithm.options.flatMap((option) => this.describe(option, pane.options[option.name])).join("; ");
    write(this.chosen, chosen);
    this.words = chosen ? `${algorithm.label}. ${chosen}` : algorithm.label;
  }
}
