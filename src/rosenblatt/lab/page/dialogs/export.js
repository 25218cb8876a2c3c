/** The export dialog: pictures, animations, the table of steps, the board, and Python code for the run. */

import { RefusedError, send } from "../base/api.js";
import { dialog } from "./dialog.js";
import { h, set, write } from "../base/dom.js";
import { pngFile, save, svgFile } from "../base/files.js";

/** @import { Lab, LabPage } from "../lab.js" */

/** @type {[string, string, string][]} */
const KINDS = [
  ["svg", "SVG", "the picture, as it is on the screen"],
  ["png", "PNG", "the picture, at twice the resolution"],
  ["gif", "GIF", "the run as an animation"],
  ["html", "HTML", "the run as a web page"],
  ["csv", "CSV", "the steps as a table"],
  ["jsonl", "JSON Lines", "the steps, one per line"],
  ["lab", "lab.json", "the board, for the lab and the command line"],
];

export class ExportDialog {
  /** @param {Lab} lab @param {LabPage} page */
  constructor(lab, page) {
    this.lab = lab;
    this.page = page;
    /** @type {AbortController | null} */
    this.controller = null;
    this.pane = h("select", { "aria-label": "Run" }, h("option", {}, "left run"), h("option", {}, "right run"));
    this.message = h("p", { class: "note", role: "status" });
    this.cancel = h("button", { type: "button", hidden: true, onclick: () => this.controller?.abort() }, "Cancel");
    this.code = h("pre", { class: "code", tabindex: 0, "aria-label": "Python code" });
    this.copy = h("button", { type: "button", onclick: () => void this.copyCode() }, "Copy");
    const rows = KINDS.map(([kind, label, about]) => {
      const button = h("button", { type: "button", "data-kind": kind, onclick: () => void this.save(kind) }, label);
      return h("li", {}, button, h("span", { class: "note" }, about));
    });
    const head = h("div", { class: "row code-head" }, h("h3", {}, "Python code"), this.copy);
    const line = h("div", { class: "row export-line" }, this.message, this.cancel);
    this.dialog = dialog("Export", "export-dialog", this.pane, h("ul", { class: "export-list" }, ...rows), line, head, this.code);
  }

  open() {
    set(this.pane, { hidden: this.page.panes.length < 2 });
    this.updateButtons();
    this.dialog.showModal();
    void this.showCode();
    this.pane.onchange = () => {
      this.updateButtons();
      void this.showCode();
    };
  }

  /** Disables the animations for algorithms that have none. */
  updateButtons() {
    const animated = this.page.panes[this.paneNumber]?.algorithm.current().animated ?? true;
    this.dialog.querySelectorAll("[data-kind=gif], [data-kind=html]").forEach((button) => set(button, { disabled: !animated }));
    write(this.message, animated ? "" : "There is no animation for this algorithm.");
  }

  /** The number of the chosen pane. */
  get paneNumber() {
    return this.page.panes.length < 2 ? 0 : this.pane.selectedIndex;
  }

  /** Gets a file from the server. @param {string} kind @returns {Promise<{blob: Blob, name: string}>} */
  async fetchFile(kind) {
    const body = { board: this.lab.store.board, pane: this.paneNumber, kind };
    const response = await send("/api/export", body, this.controller?.signal);
    const given = /filename="?([^";]+)"?/.exec(response.headers.get("Content-Disposition") ?? "");
    return { blob: await response.blob(), name: given?.[1] ?? `rosenblatt.${kind}` };
  }

  /** Makes a file and saves it. @param {string} kind */
  async save(kind) {
    this.controller?.abort();
    const controller = new AbortController();
    this.controller = controller;
    set(this.cancel, { hidden: false });
    write(this.message, "Working");
    try {
      const plane = this.page.panes[this.paneNumber]?.plane;
      if (kind === "svg" && plane) {
        save(svgFile(plane.svg), "rosenblatt.svg");
      } else if (kind === "png" && plane) {
        save(await pngFile(plane.svg, 2), "rosenblatt.png");
      } else {
        const { blob, name } = await this.fetchFile(kind);
        save(blob, name);
      }
      write(this.message, "Done.");
    } catch (error) {
      if (!(error instanceof RefusedError) && !controller.signal.aborted) {
        throw error;
      }
      write(this.message, error instanceof RefusedError ? error.message : "Cancelled.");
    } finally {
      if (this.controller === controller) {
        set(this.cancel, { hidden: true });
      }
    }
  }

  async showCode() {
    try {
      const { blob } = await this.fetchFile("py");
      write(this.code, await blob.text());
    } catch (error) {
      if (!(error instanceof RefusedError)) {
        throw error;
      }
      write(this.code, error.message);
    }
  }

  async copyCode() {
    try {
      await navigator.clipboard.writeText(this.code.textContent ?? "");
      write(this.message, "Copied.");
    } catch {
      getSelection()?.selectAllChildren(this.code);
      write(this.message, "The code is selected. Copy it with Ctrl+C.");
    }
  }
}
