// Light or dark: as the system has it, or as the user chooses.

import { forgetColours } from "./colours.js";

const KEY = "thalweg theme";
const WAYS = ["auto", "light", "dark"];
const SHOWN = { auto: "◐", light: "☀", dark: "☾" };
const system = matchMedia("(prefers-color-scheme: dark)");

function kept() {
  try {
    const way = localStorage.getItem(KEY);
    return WAYS.includes(way) ? way : "auto";
  } catch {
    return "auto";  // The browser keeps nothing.
  }
}

/** Makes a button the switch of the theme; `changed` is called whenever there are other colours. */
export function themeSwitch(button, changed) {
  let way = kept();
  const show = () => {
    document.documentElement.dataset.theme = way === "auto" ? (system.matches ? "dark" : "light") : way;
    button.textContent = SHOWN[way];
    button.setAttribute("aria-label", `Colours: ${way === "auto" ? "as the system" : way}`);
    button.title = button.getAttribute("aria-label");
    forgetColours();
    changed();
  };
  button.addEventListener("click", () => {
    way = WAYS[(WAYS.indexOf(way) + 1) % WAYS.length];
    try {
      localStorage.setItem(KEY, way);
    } catch { /* It is for this time only. */ }
    show();
  });
  system.addEventListener("change", show);
  show();
}
