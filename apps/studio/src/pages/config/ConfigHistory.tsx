import type { StudioConfigParameter, StudioConfigVersion } from "@purse/server/studio-api";
import { Button, ConfirmDialog, RelativeTime, useTranslation } from "@purse/ui";
import { useState } from "react";
import { ListSection } from "../../components/ListSection.tsx";
import { useStudioList, useStudioMutation } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { type ConfigState, type Difference, diffConfig } from "./differences.ts";

/** Earlier versions of the config, which can be restored. */
export function ConfigHistory({ current }: { current: readonly StudioConfigParameter[] }) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const history = useStudioList("/config/history", {});
  const now = stateOf(current);
  // Versions of earlier servers do not say what was changed: it is the difference to the next version.
  const changesOf = (version: StudioConfigVersion): Difference[] =>
    version.change
      ? diffConfig(version, version.change, version.change.names)
      : diffConfig(version, history.data?.[history.data.indexOf(version) - 1] ?? now);
  const [chosen, setChosen] = useState<StudioConfigVersion | undefined>(undefined);
  const rollback = useStudioMutation(
    (studio, { id }: StudioConfigVersion) => studio.post("/config/rollback/:id", { id }),
    t("Version restored. You can undo this from the history."),
  );
  return (
    <ListSection
      title={t("History")}
      query={history}
      loadingLabel={t("Loading history…")}
      rowKey={({ id }) => id}
      empty={{ title: t("No changes yet") }}
      columns={[
        { label: t("When"), cell: ({ replacedAt }) => <RelativeTime at={replacedAt} /> },
        { label: t("By"), cell: ({ username }) => <bdi>{username}</bdi> },
        {
          label: t("Change"),
          cell: (version) => <DifferenceList lines={changesOf(version)} />,
        },
      ]}
      actions={(version) => (
        <Button small disabled={!canEdit} onClick={() => setChosen(version)}>
          {t("Restore this version")}
        </Button>
      )}
    >
      <ConfirmDialog
        open={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title={t("Restore this version?")}
        description={t("The following changes will be applied:")}
        confirmLabel={t("Restore")}
        busy={rollback.isPending}
        error={rollback.error}
        onConfirm={() => chosen && rollback.mutate(chosen, { onSuccess: () => setChosen(undefined) })}
      >
        <DifferenceList lines={chosen ? diffConfig(now, chosen) : []} isExpanded />
      </ConfirmDialog>
    </ListSection>
  );
}

/** The config as it is now. */
function stateOf(parameters: readonly StudioConfigParameter[]): ConfigState {
  return {
    params: Object.fromEntries(parameters.map(({ name, value }) => [name, value])),
    masterKeyOnly: Object.fromEntries(parameters.map(({ name, isMasterKeyOnly }) => [name, isMasterKeyOnly])),
  };
}

function DifferenceList({ lines, isExpanded }: { lines: readonly Difference[]; isExpanded?: boolean }) {
  const { t } = useTranslation();
  if (lines.length === 0) return <span className="soft">{t("None")}</span>;
  const shown = isExpanded ? lines : lines.slice(0, 2);
  return (
    <ul>
      {shown.map(({ name, from, to }) => (
        <li key={name}>
          <code className={isExpanded ? undefined : "cut"}>
            {name}: {from ?? t("none")} → {to ?? t("none")}
          </code>
        </li>
      ))}
      {lines.length > shown.length && (
        <li className="soft small">{t("and {n, number} more", { n: lines.length - shown.length })}</li>
      )}
    </ul>
  );
}
