import type { StudioAuditEntry, StudioOperator, StudioRouteRow } from "@purse/protocol";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Select } from "../../../design/Choice.tsx";
import { FailedRead } from "../../../design/QueryState.tsx";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { Status } from "../../../design/Status.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay } from "../../StudioContext.tsx";
import { useAnswer, useRows } from "../parts/asking.ts";
import { Room, Rows } from "../parts/Room.tsx";
import { useUrl } from "../parts/useUrl.ts";
import { AuditEntry } from "./AuditEntry.tsx";

/** Who has changed what. */
export function Audit() {
  const { t } = useTranslation();
  const isOwner = useMay("owner");
  return (
    <Room
      title={t("Audit")}
      about={t("Every change that somebody made or tried here, the newest first. Nobody can change it.")}
    >
      {isOwner ? (
        <Trail />
      ) : (
        <EmptyState title={t("The audit trail is for owners")}>
          {t("Ask one of them if you need to know who changed what.")}
        </EmptyState>
      )}
    </Room>
  );
}

function Trail() {
  const { t } = useTranslation();
  const [username, setUsername] = useUrl("who");
  const [action, setAction] = useUrl("what");
  const [chosen, setChosen] = useState<StudioAuditEntry | undefined>(undefined);
  const operators = useAnswer<{ results: StudioOperator[] }>("/operators");
  const routes = useAnswer<{ results: StudioRouteRow[] }>("/routes");
  const trail = useRows<StudioAuditEntry>("/audit", { username, action });
  const names = new Set([...(operators.data?.results.map((each) => each.username) ?? []), username]);
  const actions = new Set([
    ...(routes.data?.results.filter(({ method }) => method !== "GET").map((each) => actionOf(each)) ?? []),
    "sign-in refused",
    action,
  ]);
  const choices = (of: Set<string>) =>
    [...of].filter((key) => key !== "").map((key) => ({ key, label: key }));
  return (
    <section className="card stack" aria-label={t("Audit trail")}>
      <div className="filters">
        <Select
          label={t("Operator")}
          value={username}
          onChange={setUsername}
          options={[{ key: "", label: t("Everybody") }, ...choices(names)]}
        />
        <Select
          label={t("Action")}
          value={action}
          onChange={setAction}
          options={[{ key: "", label: t("Every action") }, ...choices(actions)]}
        />
      </div>
      <FailedRead query={operators}>{t("The operators could not be read")}</FailedRead>
      <FailedRead query={routes}>{t("The actions could not be read")}</FailedRead>
      <Rows query={trail} label={t("Loading the audit trail")}>
        {(rows) => (
          <Table
            caption={t("Audit trail")}
            rows={rows}
            rowKey={({ id }) => id}
            empty={
              <EmptyState
                title={t("Nothing of that kind was done")}
                action={
                  <Button
                    onClick={() => {
                      setUsername("");
                      setAction("");
                    }}
                  >
                    {t("Show everything")}
                  </Button>
                }
              />
            }
            columns={[
              { key: "at", label: t("When"), cell: ({ at }) => <RelativeTime at={at} /> },
              { key: "who", label: t("Who"), cell: (entry) => <bdi>{entry.username}</bdi> },
              { key: "what", label: t("Action"), cell: (entry) => <code>{entry.action}</code> },
              {
                key: "target",
                label: t("Of what"),
                cell: ({ target }) => (
                  <bdi className="cut" title={target}>
                    {target}
                  </bdi>
                ),
              },
              { key: "outcome", label: t("Outcome"), cell: (entry) => <Outcome entry={entry} /> },
              {
                key: "actions",
                label: <span className="visually-hidden">{t("Actions")}</span>,
                number: true,
                cell: (entry) => (
                  <Button
                    small
                    onClick={() => setChosen(entry)}
                    aria-label={t("Show {action} by {name}", { action: entry.action, name: entry.username })}
                  >
                    {t("Show")}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Rows>
      {chosen && (
        <AuditEntry entry={chosen} onClose={() => setChosen(undefined)}>
          <Outcome entry={chosen} />
        </AuditEntry>
      )}
    </section>
  );
}

function Outcome({ entry: { outcome } }: { entry: StudioAuditEntry }) {
  const { t } = useTranslation();
  if (outcome === "done") return <Status kind="ok">{t("Done")}</Status>;
  if (outcome === "refused") return <Status kind="danger">{t("Refused")}</Status>;
  return <Status kind="warning">{t("Left midway")}</Status>;
}

function actionOf({ method, path }: StudioRouteRow): string {
  return `${method} ${path}`;
}
