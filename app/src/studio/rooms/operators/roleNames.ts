import type { StudioRole } from "@purse/protocol";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";

/** Roles of operators as choices, from the least on. */
export function useRoleOptions(): { key: StudioRole; label: string }[] {
  const { t } = useTranslation();
  return [
    { key: "readOnly", label: t("Read-only: sees, changes nothing") },
    { key: "editor", label: t("Editor: changes data and settings") },
    { key: "owner", label: t("Owner: also operators, keys, backups") },
  ];
}

/** The same in a word. */
export function useRoleNames(): Record<StudioRole, string> {
  const { t } = useTranslation();
  return { owner: t("owner"), editor: t("editor"), readOnly: t("read-only") };
}
