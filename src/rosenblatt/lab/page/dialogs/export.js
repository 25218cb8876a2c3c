/** Export: the picture, the animation, the trace, and the code that computes what is on the screen. */

import { Refused, send } from "../base/api.js";
import { dialog } from "./dialogs.js";
import { h, set, write } from "../base/dom.js";
import { pngFile, save, svgFile } from "../base/files.js";

/** @import { Lab } from "../panels/pane.js" */
/** @import { Laboratory } from "../lab.js" */

/** @type {[string, string, string][]} */
const KINDS = [
  ["svg", "SVG", "the picture, as it is on the screen"],
  ["png", "PNG", "the picture, twice as fine"],
  ["gif", "GIF", "the run as an animation"],
  ["html", "HTML", "the run as a page of its own"],
  ["csv", "CSV", "the steps as a table"],
  ["jsonl", "JSON Lines", "the steps, one a line"],
  ["lab", "lab.json", "the board, which the command line reads too"],
];

export class ExportDialog {
  /** @param {Lab} lab @param {Laboratory} laboratory */
  constructor(lab, laboratory) {
    this.lab = lab;
    this.laboratory = laboratory;
    /** @type {AbortController | null} */
    this.flight = null;
    this.pane = h("select", { "aria-label": "Which run" }, h("option", {}, "left run"), h("option", {}, "right run"));
    this.said = h("p", { class: "note", role: "status" });
    this.cancel = h("button", { type: "button", hidden: true, onclick: () => this.flight?.abort() }, "Cancel");
    this.code = h("pre", { class: "code", tabindex: 0, "aria-label": "Python code" });
    this.copy = h("button", { type: "button", onclick: () => void this.copyCode() }, "Copy");
    const rows = KINDS.map(([kind, label, about]) => {
      const button = h("button", { type: "button", "data-kind": kind, onclick: () => void this.make(kind) }, label);
      return h("li", {}, button, h("span", { class: "note" }, about));
    });
    const head = h("div", { class: "row code-head" }, h("h3", {}, "Python code"), this.copy);
    const line = h("div", { class: "row export-line" }, this.said, this.cancel);
    this.dialog = dialog("Export", "export-dialog", this.pane, h("ul", { class: "export-list" }, ...rows), line, head, this.code);
  }

  open() {
    set(this.pane, { hidden: this.laboratory.panes.length < 2 });
    this.offer();
    this.dialog.showModal();
    void this.showCode();
    this.pane.onchange = () => {
      this.offer();
      void this.showCode();
    };
  }

  /** Runs of some algorithms have no animation. */
  offer() {
    const animated = this.laboratory.panes[this.number]?.algorithm.current().animated ?? true;
    this.dialog.querySelectorAll("[data-kind=gif], [data-kind=html]").forEach((button) => set(button, { disabled: !animated }));
    write(this.said, animated ? "" : "Runs of this algorithm have no animation yet.");
  }

  get number() {
    return this.laboratory.panes.length < 2 ? 0 : this.pane.selectedIndex;
  }

  /** @param {string} kind @returns {Promise<{blob: Blob, name: string}>} */
  async fetched(kind) {
    const body = { board: this.lab.store.board, pane: this.number, kind };
    const response = await send("/api/export", body, this.flight?.signal);
    const given = /filename="?([^";]+)"?/.exec(response.headers.get("Content-Disposition") ?? "");
    return { blob: await response.blob(), name: given?.[1] ?? `rosenblatt.${kind}` };
  }

  /** @param {string} kind */
  async make(kind) {
    this.flight?.abort();
    const flight = new AbortController();
    this.flight = flight;
    set(this.cancel, { hidden: false });
    write(this.said, "Working");
    try {
      const plane = this.laboratory.panes[this.number]?.plane;
      if (kind === "svg" && plane) {
        save(svgFile(plane.svg), "rosenblatt.svg");
      } else if (kind === "png" && plane) {
        save(await pngFile(plane.svg, 2), "rosenblatt.png");
      } else {
        const { blob, name } = await this.fetched(kind);
        save(blob, name);
      }
      write(this.said, "Done.");
    } catch (error) {
      if (!(error instanceof Refused) && !flight.signal.aborted) {
        throw error;
      }
      write(this.said, error instanceof Refused ? error.message : "Cancelled.");
    } finally {
      if (this.flight === flight) {
        set(this.cancel, { hidden: true });
      }
    }
  }

  async showCode() {
    try {
      const { blob } = await this.fetched("py");
      write(this.code, await blob.text());
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw error;
      }
      write(this.code, error.message);
    }
  }

  async copyCode() {
    try {
      await navigator.clipboard.writeText(this.code.textContent ?? "");
      write(this.said, "Copied.");
    } catch {
      getSelection()?.selectAllChildren(this.code);
      write(this.said, "Selected; copy it with Ctrl+C.");
    }
  }
}
