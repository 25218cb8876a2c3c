/** Share: the whole board is in the address of the page, or in a file. */

import { Refused, send } from "../base/api.js";
import { dialog } from "./dialogs.js";
import { h, write } from "../base/dom.js";
import { save } from "../base/files.js";
import { toLink } from "../board/link.js";

/** @import { Lab } from "../panels/pane.js" */

export class ShareDialog {
  /** @param {Lab} lab */
  constructor(lab) {
    this.lab = lab;
    this.link = h("input", { type: "text", readonly: true, "aria-label": "Address of this board", onfocus: () => this.link.select() });
    this.said = h("p", { class: "note", role: "status" });
    const copy = h("button", { type: "button", onclick: () => void this.copy() }, "Copy");
    const file = h("button", { type: "button", onclick: () => void this.save() }, "Save lab.json");
    const about = h("p", {}, "Points, classes, algorithms and the step are all in the address; it opens in any running lab on this machine and port.");
    const more = h("p", { class: "note" }, "The file opens anywhere: rosenblatt lab lab.json, or rosenblatt fit lab.json.");
    this.dialog = dialog("Share", "small-dialog", about, h("div", { class: "row" }, this.link, copy), h("div", { class: "row" }, file), more, this.said);
  }

  async open() {
    const link = await toLink(this.lab.store.board);
    this.link.value = new URL(link, location.href).href;
    write(this.said, "");
    this.dialog.showModal();
    this.link.select();
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.link.value);
      write(this.said, "Copied.");
    } catch {
      this.link.select();
      write(this.said, "Selected; copy it with Ctrl+C.");
    }
  }

  async save() {
    try {
      const response = await send("/api/export", { board: this.lab.store.board, pane: 0, kind: "lab" });
      save(await response.blob(), "lab.json");
      write(this.said, "Saved.");
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw error;
      }
      write(this.said, error.message);
    }
  }
}
