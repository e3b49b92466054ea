import type { StudioRole } from "@purse/server/studio-api";
import { useTranslation } from "@purse/ui";

/** Operator roles as options, lowest first. */
export function useRoleOptions(): { key: StudioRole; label: string }[] {
  const { t } = useTranslation();
  return [
    { key: "readOnly", label: t("Read-only: views everything, edits nothing") },
    { key: "editor", label: t("Editor: edits data and settings") },
    { key: "owner", label: t("Owner: also manages operators, API keys and backups") },
  ];
}

/** Short names of the operator roles. */
export function useRoleNames(): Record<StudioRole, string> {
  const { t } = useTranslation();
  return { owner: t("owner"), editor: t("editor"), readOnly: t("read-only") };
}
