// Runs before the first paint, so that the page never shows in the wrong theme.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("purse/theme");
  } catch {
    // Storage may be switched off: the system's theme it is.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
