/** The chart over the steps of a run. A click or the arrow keys go to a step. */

import { h, s, set, write } from "../base/dom.js";
import { Scale, tickText } from "../plane/scale.js";

/** @import { ChartData, Series } from "../base/types.js" */

const HEIGHT = 124; // pixels
const MARGINS = { left: 44, right: 12, top: 8, bottom: 22 };

export class Chart {
  /** @param {(step: number) => void} go */
  constructor(go) {
    this.go = go;
    this.title = h("p", { class: "chart-title" });
    this.lines = s("g");
    this.now = s("path", { class: "now" });
    this.svg = s(
      "svg",
      { class: "chart", role: "slider", tabindex: 0, "data-keys": "steps", "aria-label": "Chart, step" },
      this.lines,
      this.now,
    );
    this.legend = h("p", { class: "legend" });
    this.box = h("div", { class: "chart-box" }, this.svg);
    this.element = h("div", { class: "chart-panel" }, this.title, this.box, this.legend);
    /** @type {ChartData | null} */
    this.chart = null;
    this.step = 0;
    this.last = 0;
    this.scale = new Scale([0, 1, 0, 1], 300, HEIGHT, MARGINS);
    this.svg.addEventListener("pointerdown", (event) => this.drag(event));
    this.svg.addEventListener("pointermove", (event) => event.buttons === 1 && this.drag(event));
    this.svg.addEventListener("keydown", (event) => this.press(event));
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** @param {ChartData | null} chart @param {number} step @param {number} last */
  show(chart, step, last) {
    const changed = chart !== this.chart;
    this.chart = chart;
    this.step = step;
    this.last = last;
    if (changed) {
      this.draw();
    }
    this.markStep();
  }

  /** Marks the current step. */
  markStep() {
    const x = this.scale.x(this.step).toFixed(1);
    const { top, height } = this.scale;
    set(this.now, { d: this.chart ? `M${x} ${top}v${height}` : "" });
    const text = `${this.chart?.title ?? "No chart"}; step ${this.step} of ${this.last}`;
    set(this.svg, { "aria-valuemin": 0, "aria-valuemax": this.last, "aria-valuenow": this.step, "aria-valuetext": text });
  }

  draw() {
    const { chart, box } = this;
    const width = box.clientWidth;
    if (chart === null || width === 0) {
      write(this.title, chart ? chart.title : "There is no chart for this run.");
      this.lines.replaceChildren();
      this.legend.replaceChildren();
      return;
    }
    this.scale = new Scale(chart.box, width, HEIGHT, MARGINS);
    set(this.svg, { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT });
    write(this.title, chart.title);
    this.lines.replaceChildren(...this.axes(chart, width), ...chart.series.map((series) => this.series(series)));
    this.legend.replaceChildren(...chart.series.map((series) => this.legendEntry(series)), chart.note ?? "");
    this.markStep();
  }

  /** @param {ChartData} chart @param {number} width */
  axes(chart, width) {
    const { scale } = this;
    const bottom = scale.top + scale.height;
    /** @param {number[]} at */
    const spacing = (at) => Math.max(Math.min(...at.slice(1).map((v, i) => v - (at[i] ?? 0))), 1e-9);
    const [dx, dy] = [spacing(chart.xticks), spacing(chart.yticks)];
    return [
      ...chart.yticks.map((v) => s("path", { class: "line", d: `M${scale.left} ${scale.y(v)}H${width - MARGINS.right}` })),
      ...chart.yticks.map((v) => s("text", { class: "y", x: scale.left - 6, y: scale.y(v) + 4 }, tickText(v, dy))),
      ...chart.xticks.map((v) => s("text", { class: "x", x: scale.x(v), y: bottom + 15 }, tickText(v, dx))),
      s("text", { class: "name", x: width - MARGINS.right, y: bottom - 5 }, chart.x),
    ];
  }

  /** @param {Series} series */
  series({ points, steps, role }) {
    const d = points.map(([t, v], i) => {
      const [x, y] = [this.scale.x(t).toFixed(1), this.scale.y(v).toFixed(1)];
      return i === 0 ? `M${x} ${y}` : steps ? `H${x}V${y}` : `L${x} ${y}`;
    });
    return s("path", { class: `series ${role}`, d: d.join("") });
  }

  /** The entry of a series in the legend. @param {Series} series */
  legendEntry({ name, role }) {
    const sample = s("svg", { class: "chart key", viewBox: "0 0 20 8", width: 20, height: 8, "aria-hidden": "true" });
    sample.append(s("path", { class: `series ${role}`, d: "M0 4H20" }));
    return h("span", { class: "key" }, sample, name);
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (this.chart) {
      const x = event.clientX - this.svg.getBoundingClientRect().left;
      const [t] = this.scale.data([x, 0]);
      this.go(Math.max(0, Math.min(this.last, Math.round(t))));
    }
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const { step, last } = this;
    /** @type {Record<string, number>} */
    const steps = {
      ArrowLeft: step - 1,
      ArrowDown: step - 1,
      ArrowRight: step + 1,
      ArrowUp: step + 1,
      PageDown: step - 10,
      PageUp: step + 10,
      Home: 0,
      End: last,
    };
    const next = steps[event.key];
    if (next !== undefined) {
      event.preventDefault();
      this.step = Math.max(0, Math.min(last, next));
      this.go(this.step);
    }
  }
}
