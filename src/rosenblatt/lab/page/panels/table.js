/** The table of steps. Only the rows on the screen and some around them exist, so that long runs stay fast. */

import { h, set } from "../base/dom.js";

/** @import { Run } from "../base/types.js" */

const ROW_HEIGHT = 26; // pixels, as in panels.css
const COLUMN_GAP = 1.3; // widths of a digit, as in panels.css
const EXTRA_ROWS = 12; // rows above and below those on the screen

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
      this.scrollToCurrent();
      this.draw();
    }
  }

  /**
   * Draws the head. The longest cell of the whole run gives the width of a column, so that columns never move.
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
        column.style.setProperty("width", `${width + COLUMN_GAP}ch`);
        return column;
      }),
    );
    this.table.style.setProperty("width", `${widths.reduce((sum, width) => sum + width + COLUMN_GAP, 0)}ch`);
    this.head.replaceChildren(
      ...run.columns.map((name, k) => h("th", { scope: "col", class: run.numeric[k] ? "number" : null }, name)),
    );
  }

  /** Removes the table. */
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
    const first = Math.max(0, Math.floor(element.scrollTop / ROW_HEIGHT) - EXTRA_ROWS);
    const end = Math.min(now, Math.ceil((element.scrollTop + element.clientHeight) / ROW_HEIGHT) + EXTRA_ROWS);
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

  /** An empty row as high as the rows that do not exist. @param {number} rows */
  space(rows) {
    const row = h("tr", { class: "space", "aria-hidden": "true" });
    row.style.setProperty("height", `${rows * ROW_HEIGHT}px`);
    set(row, { hidden: rows === 0 });
    return row;
  }

  /** Scrolls the box to the current row. The page itself does not scroll. */
  scrollToCurrent() {
    const top = (this.now - 1) * ROW_HEIGHT;
    const room = this.element.clientHeight - this.head.offsetHeight - ROW_HEIGHT;
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
