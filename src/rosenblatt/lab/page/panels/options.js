/** The form of options, made from the catalogue: one control for each option that applies. */

import { h } from "../base/dom.js";
import { swatch } from "../plane/point_marks.js";

/** @import { Label, Option } from "../base/types.js" */

/** @typedef {Record<string, any>} Values */

/** @param {unknown} a @param {unknown} b */
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Whether an option applies to the values of the other options. @param {Option} option @param {Values} values @param {Option[]} all */
function applies(option, values, all) {
  return Object.entries(option.when ?? {}).every(([name, allowed]) => {
    const other = all.find((one) => one.name === name);
    return allowed.some((value) => same(value, values[name] ?? other?.default ?? null));
  });
}

/** The number of controls so far. It makes their ids unique. */
let controls = 0;

export class OptionForm {
  /**
   * @param {(values: Values, name: string) => void} changed receives the values that differ from the defaults
   * @param {(sentence: string) => void} showError
   */
  constructor(changed, showError) {
    this.changed = changed;
    this.showError = showError;
    this.element = h("div", { class: "options" });
    /** @type {Option[]} */
    this.options = [];
    /** @type {Values} */
    this.values = {};
    /** @type {[number, Label][]} */
    this.classes = [];
    this.shown = "";
  }

  /**
   * @param {Option[]} options
   * @param {Values} values
   * @param {[number, Label][]} [classes] codes and labels; with more than two classes, each class has its own weights
   */
  show(options, values, classes = []) {
    this.values = values;
    this.classes = classes;
    const seen = options.filter((option) => applies(option, values, options));
    const key = JSON.stringify([seen, values, classes]);
    if (key === this.shown && options === this.options) {
      return;
    }
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.option : undefined;
    const inside = this.element.contains(document.activeElement);
    this.options = options;
    this.shown = key;
    this.element.replaceChildren(...seen.map((option) => this.control(option)));
    if (inside && focused) {
      const again = this.element.querySelector(`[data-option="${CSS.escape(focused)}"]`);
      again instanceof HTMLElement && again.focus({ preventScroll: true });
    }
  }

  /** @param {Option} option */
  value(option) {
    return this.values[option.name] === undefined ? option.default : this.values[option.name];
  }

  /** @param {Option} option @param {unknown} value */
  choose(option, value) {
    const { [option.name]: _, ...others } = this.values;
    const values = same(value, option.default) ? others : { ...others, [option.name]: value };
    if (!same(values, this.values)) {
      this.values = values;
      this.changed(values, option.name);
    }
  }

  /** @param {Option} option */
  control(option) {
    const id = `option-${(controls += 1)}`;
    /** @type {Record<string, (option: Option, names: Record<string, string>) => HTMLElement>} */
    const kinds = { choice: this.choice, flag: this.flag, slider: this.slider, weights: this.weights };
    const make = kinds[option.kind] ?? this.number;
    const field = make.call(this, option, { id, "data-option": option.name });
    const label =
      option.kind === "weights"
        ? h("span", { class: "option-label", id }, option.label)
        : h("label", { class: "option-label", for: id }, option.label);
    const look = `option ${option.kind}`;
    return h("div", { class: look, title: option.help || null }, label, field);
  }

  /** @param {Option} option @param {Record<string, string>} names */
  choice(option, names) {
    const choices = option.choices ?? [];
    const chosen = choices.findIndex(({ value }) => same(value, this.value(option)));
    const select = h("select", { ...names, onchange: () => this.choose(option, choices[select.selectedIndex]?.value) });
    select.append(...choices.map(({ label }, i) => h("option", { selected: i === chosen }, label)));
    return select;
  }

  /** @param {Option} option @param {Record<string, string>} names */
  flag(option, names) {
    const box = h("input", { ...names, type: "checkbox", onchange: () => this.choose(option, box.checked) });
    box.checked = Boolean(this.value(option));
    return box;
  }

  /** @param {Option} option @param {Record<string, string>} names */
  number(option, names) {
    const whole = option.kind === "integer";
    const field = h("input", {
      ...names,
      type: "number",
      inputmode: whole ? "numeric" : "decimal",
      min: option.low,
      max: option.high,
      step: whole ? 1 : "any",
      value: this.value(option),
      onchange: () => this.isValid(field, option.label, option, this.value(option)) && this.choose(option, field.valueAsNumber),
    });
    return field;
  }

  /**
   * Whether a field contains an allowed number. If not, a sentence says so and the field gets its old number back.
   *
   * @param {HTMLInputElement} field
   * @param {string} label
   * @param {Pick<Option, "kind" | "low" | "high">} limits
   * @param {number} before
   */
  isValid(field, label, { kind, low, high }, before) {
    if (field.checkValidity() && Number.isFinite(field.valueAsNumber)) {
      return true;
    }
    const what = kind === "integer" ? "a whole number" : "a number";
    const range = [typeof low === "number" ? ` from ${low}` : "", typeof high === "number" ? ` to ${high}` : ""].join("");
    this.showError(`${label} must be ${what}${range}. It stays ${before}.`);
    field.value = String(before);
    return false;
  }

  /** @param {Option} option @param {Record<string, string>} names */
  slider(option, names) {
    const shown = h("output", { for: names.id ?? "" }, String(this.value(option)));
    const limits = { min: option.low, max: option.high, step: option.step ?? "any" };
    const range = h("input", {
      ...names,
      ...limits,
      type: "range",
      oninput: () => {
        shown.textContent = range.value;
        this.choose(option, range.valueAsNumber);
      },
    });
    range.value = String(this.value(option));
    return h("div", { class: "sliding" }, range, shown);
  }

  /**
   * Fields for start weights: one row for two classes, one row for each class otherwise.
   *
   * @param {Option} option
   * @param {Record<string, string>} names
   */
  weights(option, names) {
    const { classes } = this;
    const several = classes.length > 2;
    const given = this.value(option);
    /** @type {number[][]} */
    const table = several ? classes.map((_, r) => given?.[r] ?? [0, 0, 0]) : [given ?? [0, 0, 0]];
    const fields = table.map((row, r) =>
      ["w1", "w2", "b"].map((name, k) =>
        h("input", {
          type: "number",
          step: "any",
          value: row[k] ?? 0,
          inputmode: "decimal",
          "aria-label": `${option.label}, ${name}${several ? `, class ${classes[r]?.[1]}` : ""}`,
          placeholder: name,
          "data-option": `${option.name}-${r}-${k}`,
          onchange: (/** @type {Event & {target: HTMLInputElement}} */ { target }) =>
            this.isValid(target, `${option.label}, ${name},`, option, row[k] ?? 0) && this.choose(option, read()),
        }),
      ),
    );
    const read = () => {
      const numbers = fields.map((row) => row.map((field) => field.valueAsNumber));
      const zero = numbers.every((row) => row.every((value) => value === 0));
      return zero ? null : several ? numbers : numbers[0];
    };
    const lines = fields.map((row, r) => {
      const [code, label] = classes[r] ?? [0, ""];
      const classMark = several && h("span", { title: `class ${label}` }, swatch(code));
      return h("div", { class: several ? "weights-row of-class" : "weights-row" }, classMark, ...row);
    });
    return h("div", { role: "group", "aria-labelledby": names.id }, ...lines);
  }
}
