/** A panel with a heading that opens and closes it. */

import { h } from "../base/dom.js";

/**
 * @param {string} name
 * @param {boolean} open
 * @param {Node} body
 * @returns {HTMLDetailsElement}
 */
export function panel(name, open, body) {
  const look = { class: `panel ${name.toLowerCase()}-panel-box`, open };
  return h("details", look, h("summary", {}, h("h2", {}, name)), h("div", { class: "panel-body" }, body));
}
