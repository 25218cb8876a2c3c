/** The theme button: light, dark, or the theme of the system. The browser stores the choice. */

import { part, set } from "./dom.js";
import { icon } from "./icons.js";

const STORAGE_KEY = "rosenblatt-theme";
const THEMES = ["system", "light", "dark"];

/** The stored choice. @returns {string} */
function storedTheme() {
  try {
    const kept = localStorage.getItem(STORAGE_KEY) ?? "system";
    return THEMES.includes(kept) ? kept : "system";
  } catch {
    return "system"; // the browser may forbid storage
  }
}

/** Shows the stored theme, and makes the button work. */
export function startTheme() {
  const button = part("theme");
  let theme = storedTheme();
  const show = () => {
    set(document.documentElement, { "data-theme": theme === "system" ? null : theme });
    const label = `Theme: ${theme}`;
    set(button, { "aria-label": label, title: label });
    button.replaceChildren(icon(theme));
  };
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
    try {
      localStorage.setItem(STORAGE_KEY, theme);
    } catch {
      // the theme changes, but is not stored
    }
    show();
  });
  show();
}
