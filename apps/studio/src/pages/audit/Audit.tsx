import type { StudioAuditEntry } from "@purse/server/studio-api";
import {
  Button,
  EmptyState,
  FailedRead,
  RelativeTime,
  Select,
  Status,
  Table,
  useTranslation,
} from "@purse/ui";
import { useMemo, useState } from "react";
import { ListState } from "../../components/ListState.tsx";
import { Page } from "../../components/Page.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useInfiniteStudioQuery, useStudioList } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { AuditEntry } from "./AuditEntry.tsx";
import { auditActions, auditSentence, type SentencePart } from "./auditSentence.ts";

/** The audit log. */
export function Audit() {
  const { t } = useTranslation();
  const isOwner = useHasRole("owner");
  return (
    <Page
      title={t("Audit log")}
      description={t("Every change or attempted change, newest first. Read-only.")}
    >
      {isOwner ? (
        <AuditTrail />
      ) : (
        <EmptyState title={t("Only owners can view the audit log")}>
          {t("Ask an owner if you need to know who changed what.")}
        </EmptyState>
      )}
    </Page>
  );
}

function AuditTrail() {
  const translator = useTranslation();
  const { t } = translator;
  const [username, setUsername] = useSearchParam("who");
  const [action, setAction] = useSearchParam("what");
  const [chosen, setChosen] = useState<StudioAuditEntry | undefined>(undefined);
  const operators = useStudioList("/operators", {});
  const trail = useInfiniteStudioQuery("/audit", { username, action });
  const names = [...new Set([...(operators.data?.map((operator) => operator.username) ?? []), username])]
    .filter((name) => name !== "")
    .map((name) => ({ key: name, label: name }));
  const actions = useMemo(() => auditActions(translator), [translator]);
  // Tools have names that only the server knows.
  const chosenTool = actions.some(({ key }) => key === action) ? "" : action;
  return (
    <section className="card stack" aria-label={t("Audit log")}>
      <div className="filters">
        <Select
          label={t("Operator")}
          value={username}
          onChange={setUsername}
          options={[{ key: "", label: t("All operators") }, ...names]}
        />
        <Select
          label={t("Action")}
          value={action}
          onChange={setAction}
          options={[
            { key: "", label: t("All actions") },
            ...(chosenTool === "" ? [] : [{ key: chosenTool, label: chosenTool }]),
            ...actions,
          ]}
        />
      </div>
      <FailedRead query={operators}>{t("Operators could not be loaded")}</FailedRead>
      <ListState query={trail} label={t("Loading audit log…")}>
        {(rows) => (
          <Table
            caption={t("Audit log")}
            rows={rows}
            rowKey={({ id }) => id}
            empty={
              <EmptyState
                title={t("No matching entries")}
                action={
                  <Button
                    onClick={() => {
                      setUsername("");
                      setAction("");
                    }}
                  >
                    {t("Clear filters")}
                  </Button>
                }
              />
            }
            columns={[
              { label: t("When"), cell: ({ at }) => <RelativeTime at={at} /> },
              { label: t("Action"), cell: (entry) => <Sentence parts={auditSentence(entry, translator)} /> },
              { label: t("Result"), cell: (entry) => <Outcome entry={entry} /> },
            ]}
            actions={(entry) => (
              <Button
                small
                onClick={() => setChosen(entry)}
                aria-label={t("Show details: {name}", { name: textOf(auditSentence(entry, translator)) })}
              >
                {t("Show")}
              </Button>
            )}
          />
        )}
      </ListState>
      {chosen && (
        <AuditEntry
          entry={chosen}
          title={textOf(auditSentence(chosen, translator))}
          onClose={() => setChosen(undefined)}
        >
          <Outcome entry={chosen} />
        </AuditEntry>
      )}
    </section>
  );
}

function Outcome({ entry: { outcome } }: { entry: StudioAuditEntry }) {
  const { t } = useTranslation();
  if (outcome === "done") return <Status kind="ok">{t("Done")}</Status>;
  if (outcome === "refused") return <Status kind="danger">{t("Rejected")}</Status>;
  return <Status kind="warning">{t("Incomplete")}</Status>;
}

/** A sentence whose names stand out. */
function Sentence({ parts }: { parts: readonly SentencePart[] }) {
  return (
    <span className="sentence">
      {parts.map(({ text, isName }, i) =>
        isName ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their places.
          <strong key={i}>
            <bdi>{text}</bdi>
          </strong>
        ) : (
          text
        ),
      )}
    </span>
  );
}

function textOf(parts: readonly SentencePart[]): string {
  return parts.map(({ text }) => text).join("");
}
