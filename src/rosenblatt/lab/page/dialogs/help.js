/** The dialog that lists the keyboard shortcuts. */

import { dialog } from "./dialog.js";
import { h, inField } from "../base/dom.js";

/** @type {[string, [string, string][]][]} */
const KEYS = [
  ["Anywhere", [
    ["Space", "play or pause"],
    ["Left, Right", "one step back, one step forward"],
    ["Home, End", "first step, last step"],
    ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo"],
    ["1 to 6", "class of new points, or of the selected point"],
    ["Delete", "delete the selected point"],
    ["?", "show this list"],
  ]],
  ["On the plane (press Tab to reach it)", [
    ["Arrow keys", "move the cursor (with Shift: farther)"],
    ["Enter", "add a point at the cursor"],
    ["1 to 6", "class of new points"],
    ["N, P", "next point, previous point"],
  ]],
  ["On a point (press N to reach it)", [
    ["Arrow keys", "move the point (with Shift: farther)"],
    ["1 to 6", "set the class of the point"],
    ["Delete", "delete the point"],
    ["Escape", "back to the cursor"],
  ]],
];

export class HelpDialog {
  constructor() {
    const parts = KEYS.flatMap(([title, keys]) => [
      h("h3", {}, title),
      h("dl", { class: "keys" }, ...keys.flatMap(([key, does]) => [h("dt", {}, key), h("dd", {}, does)])),
    ]);
    this.dialog = dialog("Keyboard shortcuts", "small-dialog", ...parts);
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
