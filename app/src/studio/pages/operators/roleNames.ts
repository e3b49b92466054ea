import type { StudioRole } from "@purse/protocol";
import { useTexts } from "../../../texts/TextsContext.tsx";

/** Roles of operators as choices, from the least on. */
export function useRoleOptions(): { key: StudioRole; label: string }[] {
  const { t } = useTexts();
  return [
    { key: "readOnly", label: t("Read-only: views everything, edits nothing") },
    { key: "editor", label: t("Editor: edits data and settings") },
    { key: "owner", label: t("Owner: also manages operators, API keys and backups") },
  ];
}

/** The same in a word. */
export function useRoleNames(): Record<StudioRole, string> {
  const { t } = useTexts();
  return { owner: t("owner"), editor: t("editor"), readOnly: t("read-only") };
}
