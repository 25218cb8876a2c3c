/** The frame of all dialogs. Escape, the close button or a press outside closes a dialog. */

import { h } from "../base/dom.js";
import { icon } from "../base/icons.js";

/**
 * @param {string} title
 * @param {string} look
 * @param {...(Node | string)} body
 */
export function dialog(title, look, ...body) {
  const close = h("button", { type: "button", class: "tool close", "aria-label": "Close", title: "Close" }, icon("close"));
  const head = h("div", { class: "dialog-head" }, h("h2", {}, title), close);
  const made = h("dialog", { class: look, "aria-label": title }, head, h("div", { class: "dialog-body" }, ...body));
  close.addEventListener("click", () => made.close());
  made.addEventListener("click", (event) => event.target === made && made.close());
  document.body.append(made);
  return made;
}
