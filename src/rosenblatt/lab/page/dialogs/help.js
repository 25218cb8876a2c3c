/** The keys, listed. */

import { dialog } from "./dialogs.js";
import { h, inField } from "../base/dom.js";

/** @type {[string, [string, string][]][]} */
const KEYS = [
  ["Anywhere", [
    ["Space", "play or pause"],
    ["Left, Right", "one step back, one step on"],
    ["Home, End", "first step, last step"],
    ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo"],
    ["1 to 6", "class of new points, or of the point that was pressed"],
    ["Delete", "delete the point that was pressed"],
    ["?", "this list"],
  ]],
  ["On the plane, reached by Tab", [
    ["Arrow keys", "move the cursor (Shift: further)"],
    ["Enter", "add a point at the cursor"],
    ["1 to 6", "class of new points"],
    ["N, P", "next point, previous point"],
  ]],
  ["On a point, reached by N", [
    ["Arrow keys", "move it (Shift: further)"],
    ["1 to 6", "its class"],
    ["Delete", "delete it"],
    ["Escape", "back to the cursor"],
  ]],
];

export class HelpDialog {
  constructor() {
    const parts = KEYS.flatMap(([title, keys]) => [
      h("h3", {}, title),
      h("dl", { class: "keys" }, ...keys.flatMap(([key, does]) => [h("dt", {}, key), h("dd", {}, does)])),
    ]);
    this.dialog = dialog("Keyboard", "small-dialog", ...parts);
    document.addEventListener("keydown", (event) => {
      if (event.key === "?" && !inField(event.target)) {
        this.open();
      }
    });
  }

  open() {
    if (!this.dialog.open) {
      this.dialog.showModal();
    }
  }
}
