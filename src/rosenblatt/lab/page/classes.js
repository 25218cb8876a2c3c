/** The classes: their names, one more, one less. */

import { dialog } from "./dialogs.js";
import { h } from "./dom.js";
import { swatch } from "./marks.js";

/** @import { Label } from "./types.js" */
/** @import { Store } from "./store.js" */

/** What was typed, as a label: whole numbers are numbers. @param {string} text @returns {Label} */
function labelOf(text) {
  return /^-?\d{1,9}$/.test(text) ? Number(text) : text;
}

export class ClassesDialog {
  /** @param {Store} store @param {number} most */
  constructor(store, most) {
    this.store = store;
    this.most = most;
    this.list = h("ul", { class: "class-list" });
    this.add = h("button", { type: "button", onclick: () => this.more() }, "Add a class");
    const note = h("p", { class: "note" }, "Of two classes, the first is the negative one. Deleting a class deletes its points.");
    this.dialog = dialog("Classes", "small-dialog", this.list, this.add, note);
  }

  open() {
    this.show();
    this.dialog.showModal();
  }

  show() {
    const { classes, points } = this.store.board;
    const counts = classes.map((_, code) => points.filter((point) => point[2] === code).length);
    this.list.replaceChildren(...classes.map((label, code) => this.row(label, code, counts[code] ?? 0)));
    this.add.disabled = classes.length >= this.most;
  }

  /** @param {Label} label @param {number} code @param {number} count */
  row(label, code, count) {
    const { classes } = this.store.board;
    const field = h("input", {
      type: "text",
      value: label,
      maxlength: 40,
      "aria-label": `Name of class ${code + 1}`,
      onchange: () => this.rename(code, field),
    });
    const remove = h("button", { type: "button", class: "quiet", disabled: classes.length <= 1, onclick: () => this.remove(code) }, "Delete");
    const many = h("span", { class: "note" }, count === 1 ? "1 point" : `${count} points`);
    return h("li", {}, swatch(code), field, many, remove);
  }

  /** @param {number} code @param {HTMLInputElement} field */
  rename(code, field) {
    const { classes } = this.store.board;
    const label = labelOf(field.value.trim());
    const taken = classes.some((other, i) => i !== code && String(other) === String(label));
    field.setCustomValidity(taken ? "Another class has this name." : label === "" ? "A class needs a name." : "");
    if (field.reportValidity()) {
      this.store.change({ classes: classes.with(code, label) });
    }
  }

  more() {
    const { classes } = this.store.board;
    const taken = new Set(classes.map(String));
    const numbers = classes.every((label) => typeof label === "number");
    const names = numbers
      ? Array.from({ length: 50 }, (_, i) => Math.max(...classes.map(Number)) + 1 + i)
      : [..."abcdefghijklmnopqrstuvwxyz"];
    const label = names.find((name) => !taken.has(String(name))) ?? `class ${classes.length + 1}`;
    this.store.change({ classes: [...classes, label] });
    this.show();
  }

  /** @param {number} code */
  remove(code) {
    const { classes, points, gaussians } = this.store.board;
    /** @template {number[]} T @param {T[]} rows @param {number} at @returns {T[]} */
    const without = (rows, at) =>
      rows.filter((row) => row[at] !== code).map((row) => /** @type {T} */ (row.with(at, (row[at] ?? 0) - Number((row[at] ?? 0) > code))));
    this.store.change({ classes: classes.toSpliced(code, 1), points: without(points, 2), gaussians: without(gaussians, 6) });
    this.show();
  }
}
