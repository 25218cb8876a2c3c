/** Light or dark: as the system has it, until the reader says otherwise; the browser remembers. */

import { part, set } from "./dom.js";
import { icon } from "./icons.js";

const KEY = "rosenblatt-theme";
const ORDER = ["system", "light", "dark"];

/** @returns {string} */
function remembered() {
  try {
    const kept = localStorage.getItem(KEY) ?? "system";
    return ORDER.includes(kept) ? kept : "system";
  } catch {
    return "system"; // a browser may forbid storage
  }
}

export function startTheme() {
  const button = part("theme");
  let theme = remembered();
  const show = () => {
    set(document.documentElement, { "data-theme": theme === "system" ? null : theme });
    const label = `Theme: ${theme === "system" ? "as the system" : theme}`;
    set(button, { "aria-label": label, title: label });
    button.replaceChildren(icon(theme));
  };
  button.addEventListener("click", () => {
    theme = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length] ?? "system";
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // not remembered, but shown
    }
    show();
  });
  show();
}
