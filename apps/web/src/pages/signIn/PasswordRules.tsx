import { useTranslation } from "@purse/ui";
import { useSettings } from "../../SettingsContext.tsx";

/** What the server demands of new passwords, so that users know it before they are refused one. */
export function PasswordRules() {
  const { t } = useTranslation();
  const { passwordRules } = useSettings();
  if (!passwordRules) return null;
  const { description, excludesUsername, history } = passwordRules;
  // The first text is the operator's.
  const rules = [
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
