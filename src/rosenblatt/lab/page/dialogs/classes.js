/** The classes: their names, one more, one less. */

import { dialog } from "./dialogs.js";
import { h, set, write } from "../base/dom.js";
import { swatch } from "../plane/marks.js";

/** @import { Label } from "../base/types.js" */
/** @import { Store } from "../board/store.js" */

/** What was typed, as a label: whole numbers are numbers. @param {string} text @returns {Label} */
function labelOf(text) {
  return /^-?\d{1,9}$/.test(text) ? Number(text) : text;
}

const NOTE =
  "Of two classes, the positive one is that whose label sorts last: whole numbers by size, words by their letters. " +
  "Deleting a class deletes its points.";

/** @typedef {{element: HTMLElement, field: HTMLInputElement, many: HTMLElement, remove: HTMLButtonElement}} Row */

export class ClassesDialog {
  /** @param {Store} store @param {number} most */
  constructor(store, most) {
    this.store = store;
    this.most = most;
    this.list = h("ul", { class: "class-list" });
    /** @type {Row[]} */
    this.rows = [];
    this.add = h("button", { type: "button", onclick: () => this.more() }, "Add a class");
    this.dialog = dialog("Classes", "small-dialog", this.list, this.add, h("p", { class: "note" }, NOTE));
    store.subscribe(() => this.dialog.open && this.show()); // undo and redo work while it is open
  }

  open() {
    this.show();
    this.dialog.showModal();
  }

  /** Rows stay the same elements, so that the reader's place among them is kept. */
  show() {
    const { classes, points } = this.store.board;
    while (this.rows.length > classes.length) {
      this.rows.pop()?.element.remove();
    }
    classes.forEach((label, code) => {
      const { field, many, remove } = this.rows[code] ?? this.row(code);
      const count = points.filter((point) => point[2] === code).length;
      if (field.value !== String(label)) {
        field.value = String(label);
        field.setCustomValidity("");
      }
      write(many, count === 1 ? "1 point" : `${count} points`);
      set(remove, { disabled: classes.length <= 1 });
    });
    this.add.disabled = classes.length >= this.most;
  }

  /** @param {number} code @returns {Row} */
  row(code) {
    const look = { type: "text", maxlength: 40, autocomplete: "off", "aria-label": `Name of class ${code + 1}` };
    const field = h("input", { ...look, onchange: () => this.rename(code, field) });
    const many = h("span", { class: "note" });
    const remove = h("button", { type: "button", class: "quiet", onclick: () => this.remove(code) }, "Delete");
    const row = { element: h("li", {}, swatch(code), field, many, remove), field, many, remove };
    this.rows.push(row);
    this.list.append(row.element);
    return row;
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
  }

  /** @param {number} code */
  remove(code) {
    const { classes, points, gaussians } = this.store.board;
    /** @template {number[]} T @param {T[]} rows @param {number} at @returns {T[]} */
    const without = (rows, at) =>
      rows.filter((row) => row[at] !== code).map((row) => /** @type {T} */ (row.with(at, (row[at] ?? 0) - Number((row[at] ?? 0) > code))));
    this.store.change({ classes: classes.toSpliced(code, 1), points: without(points, 2), gaussians: without(gaussians, 6) });
  }
}
