/** Data: built in, with their options and columns, or the reader's own as text or file. */

import { Latest } from "../base/api.js";
import { dialog } from "./dialogs.js";
import { h, part, set, write } from "../base/dom.js";
import { OptionForm } from "../panels/options.js";

/** @import { Board, DataSet, Loaded } from "../base/types.js" */
/** @import { Lab } from "../panels/pane.js" */

export class DataDialog {
  /** @param {Lab} lab */
  constructor(lab) {
    this.lab = lab;
    /** @type {DataSet | null} */
    this.chosen = null;
    /** @type {{text: string, name: string, target: string | null} | null} */
    this.own = null;
    /** @type {Loaded | null} */
    this.loaded = null;
    /** What the last data came with, as text. */
    this.suggestion = "";
    this.about = h("p", { class: "about", "aria-live": "polite" }, "Choose one, and it is on the plane.");
    this.form = new OptionForm((values) => this.load(values), lab.status.refuse);
    this.columns = h("div", { class: "options columns" });
    this.list = h("div", { class: "data-list", role: "group", "aria-label": "Built-in data" }, ...this.groups());
    this.text = h("textarea", { rows: 4, spellcheck: "false", "aria-label": "Table as text", placeholder: "x1,x2,class\n1,1,a\n3,2,b" });
    this.file = h("input", { type: "file", accept: ".csv,.tsv,.txt,.json", "aria-label": "File", onchange: () => void this.pick() });
    const use = h("button", { type: "button", onclick: () => this.take(this.text.value, "") }, "Use the text");
    const chosen = h("div", { class: "chosen" }, this.about, this.form.element, this.columns);
    const own = h(
      "div",
      { class: "own" },
      h("h3", {}, "Your own"),
      h("p", { class: "note" }, "A table with a head line, the class last unless you say otherwise, or a lab.json. A file can also be dropped anywhere on the page."),
      this.text,
      h("div", { class: "row" }, use, this.file),
    );
    this.dialog = dialog("Data", "drawer", h("h3", {}, "Built in"), this.list, chosen, own);
    const hearing = { refuse: (/** @type {string} */ sentence) => this.refuse(sentence), wait: lab.status.wait };
    this.builtIn = new Latest("/api/data", { ...hearing, answer: (loaded) => this.lay(loaded, `data ${this.chosen?.name}`) });
    this.tables = new Latest("/api/table", { ...hearing, answer: (loaded) => this.lay(loaded, lab.hand.gesture("table")) });
    this.listenForDrops();
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.dialog.open && this.dialog.close());
  }

  /** Beside the plane where there is room, so that the data are seen as they are chosen. */
  open() {
    if (this.dialog.open) {
      this.dialog.close();
    } else {
      const room = part("panels").getBoundingClientRect();
      const beside = room.left > innerWidth / 2;
      this.dialog.style.setProperty("--drawer", beside ? `${innerWidth - room.left + 8}px` : "27rem");
      this.dialog.show();
    }
  }

  groups() {
    const groups = Map.groupBy(this.lab.catalogue.data, (data) => data.group);
    /** @type {Map<string, HTMLButtonElement>} */
    this.buttons = new Map();
    return [...groups].map(([label, sets]) => {
      const buttons = sets.map((data) => {
        const button = h("button", { type: "button", class: "entry", title: data.about, onclick: () => this.choose(data) }, data.label);
        this.buttons?.set(data.name, button);
        return button;
      });
      return h("div", { class: "data-group", role: "group", "aria-label": label }, h("h4", {}, label), h("div", {}, ...buttons));
    });
  }

  /** @param {DataSet} data */
  choose(data) {
    this.chosen = data;
    this.own = null;
    this.forget();
    write(this.about, data.about);
    this.load({});
  }

  /** @param {Record<string, any>} values @param {number[] | null} [columns] */
  load(values, columns = null) {
    if (this.chosen) {
      this.form.show(this.chosen.options, values);
      this.mark(this.chosen.name);
      this.tables.stop();
      this.builtIn.ask({ name: this.chosen.name, options: values, columns });
    }
  }

  /** @param {string | null} name */
  mark(name) {
    this.buttons?.forEach((button, key) => set(button, { "aria-pressed": String(key === name) }));
  }

  /** @param {Loaded} loaded @param {string} group */
  lay(loaded, group) {
    const { store } = this.lab;
    const suggested = loaded.board.panes ?? this.chosen?.panes ?? undefined;
    /** @type {Board} */
    const board = { ...store.board, gaussians: [], ...loaded.board, step: 0 };
    const panes = suggested ?? this.able(board);
    this.suggestion = JSON.stringify(panes);
    store.change({ ...board, panes }, group);
    this.loaded = loaded;
    write(this.about, loaded.about);
    this.lab.status.forget();
    this.showColumns(loaded);
  }

  /**
   * The reader's panes for new data: without start weights, and with another algorithm where one cannot take so many
   * classes. Options that came with the data before go with them.
   *
   * @param {Board} board
   */
  able(board) {
    const { algorithms } = this.lab.catalogue;
    const many = board.classes.length;
    const untouched = JSON.stringify(this.lab.store.board.panes) === this.suggestion;
    return board.panes.map(({ algorithm, options }) => {
      const known = algorithms.find(({ name }) => name === algorithm);
      const [low, high] = known?.classes ?? [1, 6];
      const kept = Object.entries(options).filter(([name]) => known?.options.find((one) => one.name === name)?.kind !== "weights");
      return many < low || many > high
        ? { algorithm: "perceptron", options: {} }
        : { algorithm, options: untouched ? {} : Object.fromEntries(kept) };
    });
  }

  /**
   * Which columns are seen, where there are more than two; and which column of the reader's own table is the class.
   *
   * @param {Loaded} loaded
   */
  showColumns({ columns, shown, target, fields = [] }) {
    const places = shown.map((column) => (typeof column === "number" ? column : columns.indexOf(column)));
    const pickers = (columns.length > 2 ? ["Across", "Up"] : []).map((label, k) =>
      this.picker(label, columns, places[k] ?? 0, (chosen) => {
        const other = places[1 - k] === chosen ? places[k] : places[1 - k]; // the same column twice: they change places
        this.again(k === 0 ? [chosen, other ?? 0] : [other ?? 0, chosen], columns);
      }),
    );
    if (this.own && fields.length > 2) {
      this.own.target = target;
      const at = target === null ? fields.length - 1 : fields.indexOf(target);
      pickers.push(this.picker("Class", fields, at, (chosen) => this.read({ target: fields[chosen] ?? null })));
    }
    this.columns.replaceChildren(...pickers);
  }

  /** @param {string} label @param {string[]} columns @param {number} at @param {(at: number) => void} act */
  picker(label, columns, at, act) {
    const select = h("select", { "aria-label": label, onchange: () => act(select.selectedIndex) });
    select.append(...columns.map((name, i) => h("option", { selected: i === at }, name)));
    const caption = h("span", { class: "option-label", "aria-hidden": "true" }, label);
    return h("div", { class: "option" }, caption, select);
  }

  /** @param {number[]} chosen @param {string[]} columns */
  again(chosen, columns) {
    if (this.own) {
      this.read({ columns: chosen.map((i) => columns[i] ?? "") });
    } else {
      this.load(this.form.values, chosen);
    }
  }

  async pick() {
    const [file] = this.file.files ?? [];
    if (file) {
      await this.takeFile(file);
      this.file.value = "";
    }
  }

  /** @param {File} file */
  async takeFile(file) {
    const { bytes } = this.lab.catalogue.limits;
    if (file.size > bytes) {
      this.refuse(`${file.name} has ${file.size} bytes; the lab reads files of at most ${bytes}.`);
    } else {
      this.take(await file.text(), file.name);
    }
  }

  /** @param {string} text @param {string} name */
  take(text, name) {
    this.chosen = null;
    this.own = { text, name, target: null };
    this.form.show([], {});
    this.mark(null);
    this.forget();
    write(this.about, name ? `Reading ${name}` : "Reading the text");
    this.read({});
  }

  /** @param {{target?: string | null, columns?: string[] | null}} choice */
  read(choice) {
    this.builtIn.stop();
    this.tables.ask({ ...this.own, columns: null, ...choice });
  }

  /** Columns of a table that is on the plane no longer are not offered. */
  forget() {
    this.loaded = null;
    this.columns.replaceChildren();
  }

  /** @param {string} sentence */
  refuse(sentence) {
    write(this.about, sentence);
    this.lab.status.refuse(sentence);
    if (this.loaded) {
      this.showColumns(this.loaded); // as they are on the plane
    }
  }

  listenForDrops() {
    const { documentElement } = document;
    document.addEventListener("dragover", (event) => {
      if (event.dataTransfer?.types.includes("Files")) {
        event.preventDefault();
        documentElement.classList.add("dropping");
      }
    });
    document.addEventListener("dragleave", (event) => {
      event.relatedTarget ?? documentElement.classList.remove("dropping");
    });
    document.addEventListener("drop", (event) => {
      documentElement.classList.remove("dropping");
      const [file] = event.dataTransfer?.files ?? [];
      if (file) {
        event.preventDefault();
        void this.takeFile(file);
      }
    });
  }
}
