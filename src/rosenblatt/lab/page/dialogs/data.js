/** The dialog of data: built-in data sets, and the reader's own data as text or file. */

import { LatestRequest } from "../base/api.js";
import { dialog } from "./dialog.js";
import { h, part, set, write } from "../base/dom.js";
import { OptionForm } from "../panels/options.js";

/** @import { Board, DataSet, Loaded } from "../base/types.js" */
/** @import { Lab } from "../lab.js" */

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
    /** The panes that came with the last data, as JSON. */
    this.suggestedPanes = "";
    this.about = h("p", { class: "about", "aria-live": "polite" }, "Choose a data set to put it on the plane.");
    this.form = new OptionForm((values) => this.load(values), lab.status.showError);
    this.columns = h("div", { class: "options columns" });
    this.list = h("div", { class: "data-list", role: "group", "aria-label": "Built-in data" }, ...this.groups());
    this.text = h("textarea", { rows: 4, spellcheck: "false", "aria-label": "Table as text", placeholder: "x1,x2,class\n1,1,a\n3,2,b" });
    this.file = h("input", { type: "file", accept: ".csv,.tsv,.txt,.json", "aria-label": "File", onchange: () => void this.pick() });
    const use = h("button", { type: "button", onclick: () => this.use(this.text.value, "") }, "Use the text");
    const chosen = h("div", { class: "chosen" }, this.about, this.form.element, this.columns);
    const own = h(
      "div",
      { class: "own" },
      h("h3", {}, "Your own data"),
      h("p", { class: "note" }, "A table with a header line, or a lab.json file. The last column is the class, unless you choose another one. You can also drop a file anywhere on the page."),
      this.text,
      h("div", { class: "row" }, use, this.file),
    );
    this.dialog = dialog("Data", "drawer", h("h3", {}, "Built-in data"), this.list, chosen, own);
    const handlers = { onRefused: (/** @type {string} */ sentence) => this.showError(sentence), onSlow: lab.status.setSlow };
    this.builtIn = new LatestRequest("/api/data", {
      ...handlers,
      onAnswer: (loaded) => this.putOnBoard(loaded, `data ${this.chosen?.name}`),
    });
    this.tables = new LatestRequest("/api/table", {
      ...handlers,
      onAnswer: (loaded) => this.putOnBoard(loaded, lab.selection.gesture("table")),
    });
    this.listenForDrops();
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.dialog.open && this.dialog.close());
  }

  /** Opens or closes the dialog. On a wide screen it is beside the plane, so that the reader sees the data. */
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
    this.clearColumns();
    write(this.about, data.about);
    this.load({});
  }

  /** @param {Record<string, any>} values @param {number[] | null} [columns] */
  load(values, columns = null) {
    if (this.chosen) {
      this.form.show(this.chosen.options, values);
      this.markChosen(this.chosen.name);
      this.tables.stop();
      this.builtIn.ask({ name: this.chosen.name, options: values, columns });
    }
  }

  /** Marks the button of the chosen data set. @param {string | null} name */
  markChosen(name) {
    this.buttons?.forEach((button, key) => set(button, { "aria-pressed": String(key === name) }));
  }

  /** Puts loaded data on the board. @param {Loaded} loaded @param {string} group */
  putOnBoard(loaded, group) {
    const { store } = this.lab;
    const suggested = loaded.board.panes ?? this.chosen?.panes ?? undefined;
    /** @type {Board} */
    const board = { ...store.board, gaussians: [], ...loaded.board, step: 0 };
    const panes = suggested ?? this.usablePanes(board);
    this.suggestedPanes = JSON.stringify(panes);
    store.change({ ...board, panes }, group);
    this.loaded = loaded;
    write(this.about, loaded.about);
    this.lab.status.clearError();
    this.showColumns(loaded);
  }

  /**
   * The panes for new data. Start weights are removed. An algorithm that cannot take this number of classes becomes the
   * perceptron. Options that came with the previous data are removed too.
   *
   * @param {Board} board
   */
  usablePanes(board) {
    const { algorithms } = this.lab.catalogue;
    const count = board.classes.length;
    const untouched = JSON.stringify(this.lab.store.board.panes) === this.suggestedPanes;
    return board.panes.map(({ algorithm, options }) => {
      const known = algorithms.find(({ name }) => name === algorithm);
      const [low, high] = known?.classes ?? [1, 6];
      const kept = Object.entries(options).filter(([name]) => known?.options.find((one) => one.name === name)?.kind !== "weights");
      return count < low || count > high
        ? { algorithm: "perceptron", options: {} }
        : { algorithm, options: untouched ? {} : Object.fromEntries(kept) };
    });
  }

  /**
   * Shows the choice of the two columns, if there are more than two, and the choice of the class column for the
   * reader's own table.
   *
   * @param {Loaded} loaded
   */
  showColumns({ columns, shown, target, fields = [] }) {
    const places = shown.map((column) => (typeof column === "number" ? column : columns.indexOf(column)));
    const pickers = (columns.length > 2 ? ["Horizontal", "Vertical"] : []).map((label, k) =>
      this.picker(label, columns, places[k] ?? 0, (chosen) => {
        const other = places[1 - k] === chosen ? places[k] : places[1 - k]; // if both would be the same column, they swap
        this.reload(k === 0 ? [chosen, other ?? 0] : [other ?? 0, chosen], columns);
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

  /** Loads the data again with other columns. @param {number[]} chosen @param {string[]} columns */
  reload(chosen, columns) {
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
      this.showError(`${file.name} has ${file.size} bytes. The lab reads files of at most ${bytes} bytes.`);
    } else {
      this.use(await file.text(), file.name);
    }
  }

  /** @param {string} text @param {string} name */
  use(text, name) {
    this.chosen = null;
    this.own = { text, name, target: null };
    this.form.show([], {});
    this.markChosen(null);
    this.clearColumns();
    write(this.about, name ? `Reading ${name}` : "Reading the text");
    this.read({});
  }

  /** @param {{target?: string | null, columns?: string[] | null}} choice */
  read(choice) {
    this.builtIn.stop();
    this.tables.ask({ ...this.own, columns: null, ...choice });
  }

  /** Removes the choice of columns when other data are loaded. */
  clearColumns() {
    this.loaded = null;
    this.columns.replaceChildren();
  }

  /** @param {string} sentence */
  showError(sentence) {
    write(this.about, sentence);
    this.lab.status.showError(sentence);
    if (this.loaded) {
      this.showColumns(this.loaded); // the columns that are on the plane
    }
  }

  /** Reads a file that is dropped on the page. */
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
