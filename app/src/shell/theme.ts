const STORAGE_KEY = "purse/theme";
export const THEMES = ["system", "light", "dark"] as const;
export const THEME_NAMES = { system: "System", light: "Light", dark: "Dark" } as const;
export type Theme = (typeof THEMES)[number];

export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

/** Takes effect at once and is remembered; theme.js applies it before the first paint of the next visit. */
export function setTheme(chosen: Theme): void {
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  try {
    if (chosen === "system") localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, chosen);
  } catch {
    // Storage may be switched off: the choice then lasts as long as the page.
  }
}

/** Tells of every change of the theme, wherever it was chosen; returns how to stop. */
export function subscribeToTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
