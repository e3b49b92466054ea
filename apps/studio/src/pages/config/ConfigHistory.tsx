import type { JsonObject } from "@purse/protocol";
import { Button, EmptyState, QueryState, RelativeTime, Table, useTranslation } from "@purse/ui";
import { useState } from "react";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { Section } from "../../components/Page.tsx";
import { useStudioMutation, useStudioQuery } from "../../components/queries.ts";
import { useHasRole, useStudio } from "../../StudioContext.tsx";
import { type Difference, diffConfig } from "./differences.ts";
import type { Parameter } from "./value.ts";

interface Version {
  id: string;
  replacedAt: string;
  username: string;
  params: JsonObject;
  masterKeyOnly: JsonObject;
}

/** Earlier versions of the config, which can be restored. */
export function ConfigHistory({ current }: { current: readonly Parameter[] }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const canEdit = useHasRole("editor");
  const history = useStudioQuery<{ results: Version[] }>("/config/history");
  const [chosen, setChosen] = useState<Version | undefined>(undefined);
  const rollback = useStudioMutation(
    ({ id }: Version) => studio.post(`/config/rollback/${encodeURIComponent(id)}`),
    t("Version restored. You can undo this from the history."),
  );
  return (
    <Section title={t("History")}>
      <QueryState query={history} label={t("Loading history…")}>
        {({ results }) => (
          <Table
            caption={t("History")}
            rows={results}
            rowKey={({ id }) => id}
            empty={<EmptyState title={t("No changes yet")} />}
            columns={[
              { key: "at", label: t("Replaced"), cell: ({ replacedAt }) => <RelativeTime at={replacedAt} /> },
              { key: "who", label: t("By"), cell: ({ username }) => <bdi>{username}</bdi> },
              {
                key: "what",
                label: t("Diff to current"),
                cell: (version) => <DifferenceList lines={diffVersion(current, version)} />,
              },
              {
                key: "back",
                label: <span className="visually-hidden">{t("Actions")}</span>,
                number: true,
                cell: (version) => (
                  <Button small disabled={!canEdit} onClick={() => setChosen(version)}>
                    {t("Restore this version")}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </QueryState>
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
        <DifferenceList lines={chosen ? diffVersion(current, chosen) : []} isExpanded />
      </ConfirmDialog>
    </Section>
  );
}

function diffVersion(current: readonly Parameter[], { params, masterKeyOnly }: Version): Difference[] {
  const present = Object.fromEntries(current.map(({ name, value }) => [name, value]));
  const hidden = Object.fromEntries(current.map(({ name, isMasterKeyOnly }) => [name, isMasterKeyOnly]));
  return diffConfig({ params: present, masterKeyOnly: hidden }, { params, masterKeyOnly });
}

function DifferenceList({ lines, isExpanded }: { lines: readonly Difference[]; isExpanded?: boolean }) {
  const { t, count } = useTranslation();
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
        <li className="soft small">{count(lines.length - shown.length, "and {n} more", "and {n} more")}</li>
      )}
    </ul>
  );
}
