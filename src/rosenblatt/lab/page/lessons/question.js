/** A question of a lesson as a form: what the reader answers, and what the program says to each answer. */

import { h, set, write } from "../base/dom.js";

/** @import { Ask, Checked, Field } from "../base/types.js" */
/** @import { Lab } from "../panels/pane.js" */

/** @typedef {{element: HTMLElement, said: HTMLElement, read: () => any, fill: (value: any) => void}} Answer */

let forms = 0;

export class AskForm {
  /**
   * @param {Ask} question
   * @param {Lab} lab
   * @param {(answers: Record<string, any>, show: boolean) => Promise<Checked>} check
   * @param {(reveal: NonNullable<Checked["reveal"]>) => void} reveal
   */
  constructor(question, { hand, store }, check, reveal) {
    this.hand = hand;
    this.store = store;
    this.fields = question.fields;
    this.check = check;
    this.reveal = reveal;
    this.number = forms += 1;
    /** @type {Map<string, Answer>} */
    this.answers = new Map(question.fields.map((field) => [field.name, this.answer(field)]));
    this.said = h("p", { class: "checked", role: "status" });
    const buttons = h(
      "div",
      { class: "row" },
      h("button", { type: "submit", class: "primary" }, "Check"),
      h("button", { type: "button", class: "quiet", onclick: () => void this.ask(true) }, "Show me"),
    );
    const fields = [...this.answers.values()].map(({ element }) => element);
    const send = (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.ask(false);
    };
    this.element = h("form", { class: "ask", onsubmit: send }, h("p", { class: "prompt" }, question.prompt), ...fields, buttons, this.said);
    if (question.fields.some(({ kind }) => kind === "line")) {
      hand.take({ line: [], tool: "line" });
    }
  }

  /** @param {boolean} show the reader gives up */
  async ask(show) {
    const read = [...this.answers].map(([name, answer]) => [name, answer.read()]);
    const answers = Object.fromEntries(read.filter(([, value]) => value !== undefined));
    const missing = this.fields.find(({ name, kind }) => kind !== "board" && !(name in answers));
    if (missing && !show) {
      write(this.said, `"${missing.label}" has no answer yet.`);
      set(this.said, { "data-right": null });
      return;
    }
    const checked = await this.check(answers, show);
    write(this.said, checked.say);
    set(this.said, { "data-right": show ? null : String(checked.right) });
    for (const [name, { said, fill, element }] of this.answers) {
      const told = checked.fields[name];
      write(said, told && !checked.say.includes(told.say) ? told.say : ""); // nothing is said twice
      set(element, { "data-right": told === undefined || show ? null : String(told.right) });
      if (checked.answers && name in checked.answers) {
        fill(checked.answers[name]);
      }
    }
    if (checked.reveal) {
      this.reveal(checked.reveal); // after the answers: a board that is filled in starts at its first step
    }
  }

  /** @param {Field} field @returns {Answer} */
  answer(field) {
    const kinds = { choice: this.choice, number: this.numbers, numbers: this.numbers, line: this.line, board: this.board };
    return kinds[field.kind].call(this, field);
  }

  /** @param {Field} field @returns {Answer} */
  choice({ name, label, choices = [] }) {
    const said = h("p", { class: "told" });
    const boxes = choices.map((value) => h("input", { type: "radio", name: `${name}-${this.number}`, value }));
    const labels = boxes.map((box, i) => h("label", { class: "check" }, box, choices[i]));
    return {
      element: h("fieldset", {}, h("legend", {}, label), h("div", { class: "row choices" }, ...labels), said),
      said,
      read: () => boxes.find((box) => box.checked)?.value,
      fill: (value) => boxes.forEach((box) => (box.checked = box.value === value)),
    };
  }

  /** @param {Field} field @returns {Answer} */
  numbers({ label, kind, count = 1, parts = [] }) {
    const said = h("p", { class: "told" });
    const look = { type: "text", inputmode: "text", size: 6, autocomplete: "off" };
    const fields = Array.from({ length: count }, (_, i) => h("input", { ...look, "aria-label": `${label} ${parts[i] ?? ""}`.trim() }));
    const named = fields.map((field, i) => h("label", { class: "part" }, parts[i] ?? "", field));
    const row = h("div", { class: "row" }, ...named);
    const short = h("div", { class: "short" }, h("span", { "aria-hidden": "true" }, label), row, said);
    return {
      element: count === 1 && parts.length === 0 ? short : h("fieldset", {}, h("legend", {}, label), row, said),
      said,
      read: () => {
        const values = fields.map((field) => field.value.trim());
        return values.some((value) => value === "") ? undefined : kind === "number" ? values[0] : values;
      },
      fill: (value) => fields.forEach((field, i) => (field.value = String(Array.isArray(value) ? value[i] : value))),
    };
  }

  /** @param {Field} field @returns {Answer} */
  line({ label }) {
    const said = h("p", { class: "told" });
    const take = h("button", { type: "button", onclick: () => this.hand.take({ tool: "line" }) }, "Draw the line");
    const how = h("p", { class: "note" }, "Drag across the plane; or put both ends with Enter at the cursor.");
    return {
      element: h("fieldset", {}, h("legend", {}, label), h("div", { class: "row" }, take), how, said),
      said,
      read: () => (this.hand.line.length === 2 ? this.hand.line : undefined),
      fill: (value) => this.hand.take({ line: value }),
    };
  }

  /** @param {Field} field @returns {Answer} */
  board({ label }) {
    const said = h("p", { class: "told" });
    const how = h("p", { class: "note" }, "Change the points on the plane; they are the answer.");
    return { element: h("fieldset", {}, h("legend", {}, label), how, said), said, read: () => undefined, fill: (value) => this.store.change({ ...value }) };
  }
}
