import { useState } from "react";
import { Button } from "../design/Button.tsx";

const KEY = "purse/theme";
const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

/** Goes round light, dark and what the system says; remembered, and applied before the first paint by theme.js. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(() => {
    const chosen = document.documentElement.dataset.theme;
    return chosen === "light" || chosen === "dark" ? chosen : "system";
  });
  function next() {
    const chosen = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
    setTheme(chosen);
    if (chosen === "system") {
      delete document.documentElement.dataset.theme;
      localStorage.removeItem(KEY);
    } else {
      document.documentElement.dataset.theme = chosen;
      localStorage.setItem(KEY, chosen);
    }
  }
  return (
    <Button small look="quiet" onClick={next}>
      Theme: {theme}
    </Button>
  );
}
