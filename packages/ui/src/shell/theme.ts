const STORAGE_KEY = "purse/theme";
export const THEMES = ["system", "light", "dark"] as const;
export const THEME_NAMES = { system: "System", light: "Light", dark: "Dark" } as const;
export type Theme = (typeof THEMES)[number];

export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

/** Applies and stores the theme. theme.js applies it before the first paint of the next visit. */
export function setTheme(chosen: Theme): void {
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  try {
    if (chosen === "system") localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, chosen);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}

/** Calls the listener after each theme change. Returns an unsubscribe function. */
export function subscribeToTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
