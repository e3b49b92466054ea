import { Languages } from "lucide-react";
import { LANGUAGES } from "../i18n/languages.ts";
import { languageTagOf } from "../i18n/matchLanguage.ts";
import { useLanguageChoice, useTranslation } from "../i18n/TranslationContext.tsx";

/** Selects a language, or that of the system. */
export function LanguageSwitch() {
  const { t } = useTranslation();
  const { chosen, choose } = useLanguageChoice();
  return (
    <label className="language-switch" title={t("Language")}>
      <Languages size={16} aria-hidden="true" />
      <span className="visually-hidden">{t("Language")}</span>
      <select value={chosen ?? ""} onChange={({ target }) => choose(target.value || undefined)}>
        <option value="">{t("System language")}</option>
        {LANGUAGES.map(({ code, name }) => (
          <option key={code} value={code} lang={languageTagOf(code)}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
