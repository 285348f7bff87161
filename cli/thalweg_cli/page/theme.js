// The colours of the page: those of the system, or those that are chosen.

const dark = matchMedia("(prefers-color-scheme: dark)");

function remembered() {
  try { return localStorage.getItem("thalweg-theme") ?? ""; } catch { return ""; }  // Files may have no storage.
}

function applyTheme(wanted) {
  document.documentElement.dataset.theme = wanted || (dark.matches ? "dark" : "light");
  redraw();
}

const theme = document.getElementById("theme");
theme.value = remembered();
theme.addEventListener("change", () => {
  try { localStorage.setItem("thalweg-theme", theme.value); } catch { /* Then it is not remembered. */ }
  applyTheme(theme.value);
});
dark.addEventListener("change", () => applyTheme(theme.value));
applyTheme(theme.value);
