import { Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { useTexts } from "../texts/TextsContext.tsx";
import { setTheme, THEMES, type Theme, theme } from "./theme.ts";

const SIGNS = { system: Monitor, light: Sun, dark: Moon } as const;

/** Light, dark, or what the system says. */
export function ThemeSwitch() {
  const { t } = useTexts();
  const [chosen, setChosen] = useState<Theme>(theme);
  const names = { system: t("As the system"), light: t("Light"), dark: t("Dark") };
  return (
    <fieldset className="theme-switch">
      <legend className="visually-hidden">{t("Theme")}</legend>
      {THEMES.map((each) => {
        const Sign = SIGNS[each];
        return (
          <label key={each} title={names[each]}>
            <input
              type="radio"
              name="theme"
              className="visually-hidden"
              checked={chosen === each}
              onChange={() => {
                setTheme(each);
                setChosen(each);
              }}
            />
            <Sign size={16} aria-hidden="true" />
            <span className="visually-hidden">{names[each]}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
