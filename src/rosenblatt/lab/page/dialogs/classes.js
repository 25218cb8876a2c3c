/** The dialog of classes: rename, add and delete them. */

import { dialog } from "./dialog.js";
import { h, set, write } from "../base/dom.js";
import { swatch } from "../plane/point_marks.js";

/** @import { Label } from "../base/types.js" */
/** @import { Store } from "../board/store.js" */

/** Converts typed text to a label. Whole numbers become numbers. @param {string} text @returns {Label} */
function labelOf(text) {
  return /^-?\d{1,9}$/.test(text) ? Number(text) : text;
}

const NOTE =
  "With two classes, the positive class is the one whose label comes last: numbers in order of size, words in " +
  "alphabetical order. If you delete a class, its points are deleted too.";

/** @typedef {{element: HTMLElement, field: HTMLInputElement, points: HTMLElement, remove: HTMLButtonElement}} Row */

export class ClassesDialog {
  /** @param {Store} store @param {number} maxClasses */
  constructor(store, maxClasses) {
    this.store = store;
    this.maxClasses = maxClasses;
    this.list = h("ul", { class: "class-list" });
    /** @type {Row[]} */
    this.rows = [];
    this.addButton = h("button", { type: "button", onclick: () => this.addClass() }, "Add a class");
    this.dialog = dialog("Classes", "small-dialog", this.list, this.addButton, h("p", { class: "note" }, NOTE));
    store.subscribe(() => this.dialog.open && this.show()); // undo and redo work while it is open
  }

  open() {
    this.show();
    this.dialog.showModal();
  }

  /** Updates the rows. Their elements stay, so that the focus stays too. */
  show() {
    const { classes, points } = this.store.board;
    while (this.rows.length > classes.length) {
      this.rows.pop()?.element.remove();
    }
    classes.forEach((label, code) => {
      const { field, points: pointCount, remove } = this.rows[code] ?? this.row(code);
      const count = points.filter((point) => point[2] === code).length;
      if (field.value !== String(label)) {
        field.value = String(label);
        field.setCustomValidity("");
      }
      write(pointCount, count === 1 ? "1 point" : `${count} points`);
      set(remove, { disabled: classes.length <= 1 });
    });
    this.addButton.disabled = classes.length >= this.maxClasses;
  }

  /** @param {number} code @returns {Row} */
  row(code) {
    const look = { type: "text", maxlength: 40, autocomplete: "off", "aria-label": `Name of class ${code + 1}` };
    const field = h("input", { ...look, onchange: () => this.rename(code, field) });
    const points = h("span", { class: "note" });
    const remove = h("button", { type: "button", class: "quiet", onclick: () => this.remove(code) }, "Delete");
    const row = { element: h("li", {}, swatch(code), field, points, remove), field, points, remove };
    this.rows.push(row);
    this.list.append(row.element);
    return row;
  }

  /** @param {number} code @param {HTMLInputElement} field */
  rename(code, field) {
    const { classes } = this.store.board;
    const label = labelOf(field.value.trim());
    const taken = classes.some((other, i) => i !== code && String(other) === String(label));
    field.setCustomValidity(taken ? "Another class already has this name." : label === "" ? "A class needs a name." : "");
    if (field.reportValidity()) {
      this.store.change({ classes: classes.with(code, label) });
    }
  }

  /** Adds a class with the next free number or letter as its label. */
  addClass() {
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
