import type { JsonObject } from "@purse/protocol";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useAnswer, useChange } from "../parts/asking.ts";
import { Answered, Section } from "../parts/Room.tsx";
import { type Difference, differences } from "./differences.ts";
import type { Parameter } from "./value.ts";

interface Version {
  id: string;
  replacedAt: string;
  username: string;
  params: JsonObject;
  masterKeyOnly: JsonObject;
}

/** The config as it was before each change, and the way back. */
export function ConfigHistory({ now }: { now: readonly Parameter[] }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const may = useMay("editor");
  const history = useAnswer<{ results: Version[] }>("/config/history");
  const [chosen, setChosen] = useState<Version | undefined>(undefined);
  const back = useChange(
    ({ id }: Version) => studio.post(`/config/rollback/${encodeURIComponent(id)}`),
    t("The config is as it was. This change can be taken back too."),
  );
  return (
    <Section title={t("History")}>
      <Answered answer={history} label={t("Loading the history")}>
        {({ results }) => (
          <Table
            caption={t("History")}
            rows={results}
            rowKey={({ id }) => id}
            empty={<EmptyState title={t("Nothing was changed yet")} />}
            columns={[
              { key: "at", label: t("Replaced"), cell: ({ replacedAt }) => <RelativeTime at={replacedAt} /> },
              { key: "who", label: t("By"), cell: ({ username }) => <bdi>{username}</bdi> },
              {
                key: "what",
                label: t("Other than now"),
                cell: (version) => <Changes lines={differencesOf(now, version)} />,
              },
              {
                key: "back",
                label: <span className="visually-hidden">{t("Actions")}</span>,
                number: true,
                cell: (version) => (
                  <Button small disabled={!may} onClick={() => setChosen(version)}>
                    {t("Go back to it")}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Answered>
      <Ask
        open={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title={t("Go back to this version?")}
        about={t("This is what changes:")}
        verb={t("Go back")}
        busy={back.isPending}
        error={back.error}
        onDo={() => chosen && back.mutate(chosen, { onSuccess: () => setChosen(undefined) })}
      >
        <Changes lines={chosen ? differencesOf(now, chosen) : []} whole />
      </Ask>
    </Section>
  );
}

function differencesOf(now: readonly Parameter[], { params, masterKeyOnly }: Version): Difference[] {
  const present = Object.fromEntries(now.map(({ name, value }) => [name, value]));
  const hidden = Object.fromEntries(now.map(({ name, isMasterKeyOnly }) => [name, isMasterKeyOnly]));
  return differences({ params: present, masterKeyOnly: hidden }, { params, masterKeyOnly });
}

function Changes({ lines, whole }: { lines: readonly Difference[]; whole?: boolean }) {
  const { t, count } = useTranslation();
  if (lines.length === 0) return <span className="soft">{t("Nothing")}</span>;
  const shown = whole ? lines : lines.slice(0, 2);
  return (
    <ul>
      {shown.map(({ name, from, to }) => (
        <li key={name}>
          <code className={whole ? undefined : "cut"}>
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
