/** The share dialog: the board as an address or as a file. */

import { RefusedError, send } from "../base/api.js";
import { dialog } from "./dialog.js";
import { h, write } from "../base/dom.js";
import { save } from "../base/files.js";
import { toLink } from "../board/link.js";

/** @import { Lab } from "../lab.js" */

export class ShareDialog {
  /** @param {Lab} lab */
  constructor(lab) {
    this.lab = lab;
    this.link = h("input", { type: "text", readonly: true, "aria-label": "Address of this board", onfocus: () => this.link.select() });
    this.message = h("p", { class: "note", role: "status" });
    const copy = h("button", { type: "button", onclick: () => void this.copy() }, "Copy");
    const file = h("button", { type: "button", onclick: () => void this.save() }, "Save lab.json");
    const about = h("p", {}, "The address contains the points, the classes, the algorithms and the step. It opens in a lab that runs on this machine and this port.");
    const more = h("p", { class: "note" }, "The file opens on any machine: rosenblatt lab lab.json, or rosenblatt fit lab.json.");
    this.dialog = dialog("Share", "small-dialog", about, h("div", { class: "row" }, this.link, copy), h("div", { class: "row" }, file), more, this.message);
  }

  async open() {
    const link = await toLink(this.lab.store.board);
    this.link.value = new URL(link, location.href).href;
    write(this.message, "");
    this.dialog.showModal();
    this.link.select();
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.link.value);
      write(this.message, "Copied.");
    } catch {
      this.link.select();
      write(this.message, "The address is selected. Copy it with Ctrl+C.");
    }
  }

  async save() {
    try {
      const response = await send("/api/export", { board: this.lab.store.board, pane: 0, kind: "lab" });
      save(await response.blob(), "lab.json");
      write(this.message, "Saved.");
    } catch (error) {
      if (!(error instanceof RefusedError)) {
        throw error;
      }
      write(this.message, error.message);
    }
  }
}
