import { Monitor, Moon, Sun } from "lucide-react";
import { useId, useSyncExternalStore } from "react";
import { useTexts } from "../texts/TextsContext.tsx";
import { followTheme, setTheme, THEME_NAMES, THEMES, theme } from "./theme.ts";

const SIGNS = { system: Monitor, light: Sun, dark: Moon } as const;

/** Light, dark, or what the system says. */
export function ThemeSwitch() {
  const { t } = useTexts();
  const chosen = useSyncExternalStore(followTheme, theme);
  const id = useId();
  return (
    <fieldset className="theme-switch">
      <legend className="visually-hidden">{t("Theme")}</legend>
      {THEMES.map((each) => {
        const Sign = SIGNS[each];
        return (
          <label key={each} title={t(THEME_NAMES[each])}>
            <input
              type="radio"
              name={id}
              className="visually-hidden"
              checked={chosen === each}
              onChange={() => setTheme(each)}
            />
            <Sign size={16} aria-hidden="true" />
            <span className="visually-hidden">{t(THEME_NAMES[each])}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
