import type { StudioAuditEntry, StudioRouteInfo } from "@purse/server/studio-api";
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
import { useState } from "react";
import { CutText } from "../../components/cells.tsx";
import { ListState } from "../../components/ListState.tsx";
import { Page } from "../../components/Page.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useInfiniteStudioQuery, useStudioList } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { AuditEntry } from "./AuditEntry.tsx";

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
  const { t } = useTranslation();
  const [username, setUsername] = useSearchParam("who");
  const [action, setAction] = useSearchParam("what");
  const [chosen, setChosen] = useState<StudioAuditEntry | undefined>(undefined);
  const operators = useStudioList("/operators", {});
  const routes = useStudioList("/routes", {});
  const trail = useInfiniteStudioQuery("/audit", { username, action });
  const names = new Set([...(operators.data?.map((operator) => operator.username) ?? []), username]);
  const actions = new Set([
    ...(routes.data?.filter(({ method }) => method !== "GET").map((operator) => actionOf(operator)) ?? []),
    "sign-in refused",
    action,
  ]);
  const choices = (of: Set<string>) =>
    [...of].filter((key) => key !== "").map((key) => ({ key, label: key }));
  return (
    <section className="card stack" aria-label={t("Audit log")}>
      <div className="filters">
        <Select
          label={t("Operator")}
          value={username}
          onChange={setUsername}
          options={[{ key: "", label: t("All operators") }, ...choices(names)]}
        />
        <Select
          label={t("Action")}
          value={action}
          onChange={setAction}
          options={[{ key: "", label: t("All actions") }, ...choices(actions)]}
        />
      </div>
      <FailedRead query={operators}>{t("Operators could not be loaded")}</FailedRead>
      <FailedRead query={routes}>{t("Actions could not be loaded")}</FailedRead>
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
              { label: t("Who"), cell: (entry) => <bdi>{entry.username}</bdi> },
              { label: t("Action"), cell: (entry) => <code>{entry.action}</code> },
              { label: t("Target"), cell: ({ target }) => <CutText text={target} /> },
              { label: t("Result"), cell: (entry) => <Outcome entry={entry} /> },
            ]}
            actions={(entry) => (
              <Button
                small
                onClick={() => setChosen(entry)}
                aria-label={t("Show {action} by {name}", { action: entry.action, name: entry.username })}
              >
                {t("Show")}
              </Button>
            )}
          />
        )}
      </ListState>
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
  if (outcome === "refused") return <Status kind="danger">{t("Rejected")}</Status>;
  return <Status kind="warning">{t("Incomplete")}</Status>;
}

function actionOf({ method, path }: StudioRouteInfo): string {
  return `${method} ${path}`;
}
