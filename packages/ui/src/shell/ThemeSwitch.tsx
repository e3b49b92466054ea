import { Monitor, Moon, Sun } from "lucide-react";
import { useId, useSyncExternalStore } from "react";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { currentTheme, setTheme, subscribeToTheme, THEME_NAMES, THEMES } from "./theme.ts";

const ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

/** Selects the light, dark or system theme. */
export function ThemeSwitch() {
  const { t } = useTranslation();
  const chosen = useSyncExternalStore(subscribeToTheme, currentTheme);
  const id = useId();
  return (
    <fieldset className="theme-switch">
      <legend className="visually-hidden">{t("Theme")}</legend>
      {THEMES.map((each) => {
        const Icon = ICONS[each];
        return (
          <label key={each} title={t(THEME_NAMES[each])}>
            <input
              type="radio"
              name={id}
              className="visually-hidden"
              checked={chosen === each}
              onChange={() => setTheme(each)}
            />
            <Icon size={16} aria-hidden="true" />
            <span className="visually-hidden">{t(THEME_NAMES[each])}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
