/** The form of a question: fields for the answers, and feedback below each field. */

import { h, set, write } from "../base/dom.js";

/** @import { Ask, Checked, Field } from "../base/types.js" */
/** @import { Lab } from "../lab.js" */

/** @typedef {{element: HTMLElement, feedback: HTMLElement, read: () => any, fill: (value: any) => void}} Answer */

let forms = 0; // forms so far; the number makes the names of radio buttons unique

export class QuestionForm {
  /**
   * @param {Ask} question
   * @param {Lab} lab
   * @param {(answers: Record<string, any>, show: boolean) => Promise<Checked>} check
   * @param {(reveal: NonNullable<Checked["reveal"]>) => void} reveal
   */
  constructor(question, { selection, store }, check, reveal) {
    this.selection = selection;
    this.store = store;
    this.fields = question.fields;
    this.check = check;
    this.reveal = reveal;
    this.number = forms += 1;
    /** @type {Map<string, Answer>} */
    this.answers = new Map(question.fields.map((field) => [field.name, this.answer(field)]));
    this.feedback = h("p", { class: "checked", role: "status" });
    const buttons = h(
      "div",
      { class: "row" },
      h("button", { type: "submit", class: "primary" }, "Check"),
      h("button", { type: "button", class: "quiet", onclick: () => void this.submit(true) }, "Show the answer"),
    );
    const fields = [...this.answers.values()].map(({ element }) => element);
    const send = (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.submit(false);
    };
    this.element = h("form", { class: "ask", onsubmit: send }, h("p", { class: "prompt" }, question.prompt), ...fields, buttons, this.feedback);
    if (question.fields.some(({ kind }) => kind === "line")) {
      selection.update({ line: [], tool: "line" });
    }
  }

  /** Checks the answers and shows the feedback. @param {boolean} show whether the reader wants to see the answer */
  async submit(show) {
    const read = [...this.answers].map(([name, answer]) => [name, answer.read()]);
    const answers = Object.fromEntries(read.filter(([, value]) => value !== undefined));
    const missing = this.fields.find(({ name, kind }) => kind !== "board" && !(name in answers));
    if (missing && !show) {
      write(this.feedback, `"${missing.label}" has no answer yet.`);
      set(this.feedback, { "data-right": null });
      return;
    }
    const checked = await this.check(answers, show);
    write(this.feedback, checked.say);
    set(this.feedback, { "data-right": show ? null : String(checked.right) });
    for (const [name, { feedback, fill, element }] of this.answers) {
      const judged = checked.fields[name];
      write(feedback, judged && !checked.say.includes(judged.say) ? judged.say : ""); // a sentence is not shown twice
      set(element, { "data-right": judged === undefined || show ? null : String(judged.right) });
      if (checked.answers && name in checked.answers) {
        fill(checked.answers[name]);
      }
    }
    if (checked.reveal) {
      this.reveal(checked.reveal); // after the answers, because filling in a board goes to its first step
    }
  }

  /** The field of one question. @param {Field} field @returns {Answer} */
  answer(field) {
    const kinds = { choice: this.choice, number: this.numbers, numbers: this.numbers, line: this.line, board: this.board };
    return kinds[field.kind].call(this, field);
  }

  /** A field of choices. @param {Field} field @returns {Answer} */
  choice({ name, label, choices = [] }) {
    const feedback = h("p", { class: "feedback" });
    const boxes = choices.map((value) => h("input", { type: "radio", name: `${name}-${this.number}`, value }));
    const labels = boxes.map((box, i) => h("label", { class: "check" }, box, choices[i]));
    return {
      element: h("fieldset", {}, h("legend", {}, label), h("div", { class: "row choices" }, ...labels), feedback),
      feedback,
      read: () => boxes.find((box) => box.checked)?.value,
      fill: (value) => boxes.forEach((box) => (box.checked = box.value === value)),
    };
  }

  /** A field of one or several numbers. @param {Field} field @returns {Answer} */
  numbers({ label, kind, count = 1, parts = [] }) {
    const feedback = h("p", { class: "feedback" });
    const look = { type: "text", inputmode: "text", size: 6, autocomplete: "off" };
    const fields = Array.from({ length: count }, (_, i) => h("input", { ...look, "aria-label": `${label} ${parts[i] ?? ""}`.trim() }));
    const named = fields.map((field, i) => h("label", { class: "part" }, parts[i] ?? "", field));
    const row = h("div", { class: "row" }, ...named);
    const short = h("div", { class: "short" }, h("span", { "aria-hidden": "true" }, label), row, feedback);
    return {
      element: count === 1 && parts.length === 0 ? short : h("fieldset", {}, h("legend", {}, label), row, feedback),
      feedback,
      read: () => {
        const values = fields.map((field) => field.value.trim());
        return values.some((value) => value === "") ? undefined : kind === "number" ? values[0] : values;
      },
      fill: (value) => fields.forEach((field, i) => (field.value = String(Array.isArray(value) ? value[i] : value))),
    };
  }

  /** A field whose answer is a line on the plane. @param {Field} field @returns {Answer} */
  line({ label }) {
    const feedback = h("p", { class: "feedback" });
    const draw = h("button", { type: "button", onclick: () => this.selection.update({ tool: "line" }) }, "Draw the line");
    const how = h("p", { class: "note" }, "Drag across the plane. With the keyboard, move the cursor and press Enter at each end.");
    return {
      element: h("fieldset", {}, h("legend", {}, label), h("div", { class: "row" }, draw), how, feedback),
      feedback,
      read: () => (this.selection.line.length === 2 ? this.selection.line : undefined),
      fill: (value) => this.selection.update({ line: value }),
    };
  }

  /** A field whose answer is the points on the plane. @param {Field} field @returns {Answer} */
  board({ label }) {
    const feedback = h("p", { class: "feedback" });
    const how = h("p", { class: "note" }, "Your answer is the points on the plane. Change them.");
    return { element: h("fieldset", {}, h("legend", {}, label), how, feedback), feedback, read: () => undefined, fill: (value) => this.store.change({ ...value }) };
  }
}
