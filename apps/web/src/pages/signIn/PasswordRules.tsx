import { useTranslation } from "@purse/ui";
import { useSettings } from "../../SettingsContext.tsx";

/** What the server demands of new passwords, so that users know it before they are refused one. */
export function PasswordRules() {
  const { t } = useTranslation();
  const { passwordRules } = useSettings();
  if (!passwordRules) return null;
  const { minLength = 0, description, excludesUsername, history } = passwordRules;
  const rules = [
    ...(minLength > 0 ? [t("At least {n, number} characters.", { n: minLength })] : []),
    // The operator's text.
    ...(description === null ? [] : [description.slice(0, 300)]),
    ...(excludesUsername ? [t("It must not contain your username.")] : []),
    ...(history > 0 ? [t("Recent passwords can't be reused (last {n, number}).", { n: history })] : []),
  ];
  if (rules.length === 0) return null;
  return (
    <ul className="small soft password-rules" aria-label={t("Password rules")}>
      {rules.map((rule) => (
        <li key={rule}>
          <bdi>{rule}</bdi>
        </li>
      ))}
    </ul>
  );
}
