/** The table that grows with the run. Only the rows near those on the screen exist, so that long runs stay fast. */

import { h, set } from "../base/dom.js";

/** @import { Run } from "../base/types.js" */

const ROW = 26; // pixels, as in panels.css
const PAD = 1.3; // letters between columns, as in panels.css
const MORE = 12; // rows above and below those on the screen

export class Table {
  /** @param {(step: number) => void} go */
  constructor(go) {
    this.go = go;
    this.head = h("tr");
    this.columns = h("colgroup");
    this.body = h("tbody");
    this.table = h("table", { class: "run" }, this.columns, h("thead", {}, this.head), this.body);
    this.element = h("div", {
      class: "table-box",
      tabindex: 0,
      role: "region",
      "aria-label": "Table of steps",
      "data-keys": "rows",
      onscroll: () => this.draw(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.press(event),
    }, this.table);
    /** @type {Run | null} */
    this.run = null;
    this.now = 0;
    this.drawn = "";
    this.body.addEventListener("click", (event) => {
      const row = event.target instanceof Element ? event.target.closest("tr") : null;
      row?.dataset.step && this.go(Number(row.dataset.step));
    });
  }

  /** @param {Run} run @param {number} now */
  show(run, now) {
    const moved = now !== this.now || run !== this.run || this.drawn === "";
    if (run !== this.run) {
      this.run = run;
      this.drawn = "";
      this.drawHead(run);
    }
    this.now = now;
    if (moved) {
      this.draw();
      this.follow();
      this.draw();
    }
  }

  /**
   * Widths come from the longest cell of the whole run, so that no column moves while it grows; a head may take two lines.
   *
   * @param {Run} run
   */
  drawHead(run) {
    const widths = run.columns.map((name) => Math.max(...name.split(" ").map((word) => word.length)));
    for (const { cells } of run.frames) {
      cells?.forEach((cell, k) => {
        widths[k] = Math.max(widths[k] ?? 0, cell.length);
      });
    }
    this.columns.replaceChildren(
      ...widths.map((width) => {
        const column = h("col");
        column.style.setProperty("width", `${width + PAD}ch`);
        return column;
      }),
    );
    this.table.style.setProperty("width", `${widths.reduce((sum, width) => sum + width + PAD, 0)}ch`);
    this.head.replaceChildren(
      ...run.columns.map((name, k) => h("th", { scope: "col", class: run.numeric[k] ? "number" : null }, name)),
    );
  }

  /** No run, no table. */
  clear() {
    this.run = null;
    this.drawn = "";
    this.head.replaceChildren();
    this.body.replaceChildren();
  }

  draw() {
    const { run, now, element } = this;
    if (run === null) {
      return;
    }
    const first = Math.max(0, Math.floor(element.scrollTop / ROW) - MORE);
    const end = Math.min(now, Math.ceil((element.scrollTop + element.clientHeight) / ROW) + MORE);
    const key = `${first} ${end} ${now}`;
    if (key === this.drawn) {
      return;
    }
    this.drawn = key;
    const rows = [];
    for (let t = first + 1; t <= end; t += 1) {
      rows.push(this.row(run, t));
    }
    this.body.replaceChildren(this.space(first), ...rows, this.space(Math.max(now - end, 0)));
  }

  /** @param {Run} run @param {number} t */
  row(run, t) {
    const frame = run.frames[t];
    const cells = (frame?.cells ?? []).map((cell, k) => h("td", { class: run.numeric[k] ? "number" : null }, cell));
    const current = t === this.now ? "step" : null;
    return h("tr", { "data-step": t, "aria-current": current, class: `kind-${frame?.kind}` }, ...cells);
  }

  /** The room of rows that do not exist now. @param {number} rows */
  space(rows) {
    const row = h("tr", { class: "space", "aria-hidden": "true" });
    row.style.setProperty("height", `${rows * ROW}px`);
    set(row, { hidden: rows === 0 });
    return row;
  }

  /** Brings the current row into the box; the page itself does not move. */
  follow() {
    const top = (this.now - 1) * ROW;
    const room = this.element.clientHeight - this.head.offsetHeight - ROW;
    if (top < this.element.scrollTop) {
      this.element.scrollTop = Math.max(0, top);
    } else if (top > this.element.scrollTop + room) {
      this.element.scrollTop = top - room;
    }
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const last = (this.run?.frames.length ?? 1) - 1;
    /** @type {Record<string, number>} */
    const steps = { ArrowUp: this.now - 1, ArrowDown: this.now + 1, Home: 0, End: last };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      this.now = Math.max(0, Math.min(last, step));
      this.drawn = "";
      this.go(this.now);
    }
  }
}
