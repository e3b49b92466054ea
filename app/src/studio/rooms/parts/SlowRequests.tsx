import type { StudioSlowRequest } from "@purse/protocol";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useAnswer } from "./asking.ts";
import { Answered, Section } from "./Room.tsx";

const EVERY_MS = 10_000;

/** Requests that took more than half a second, the newest first. */
export function SlowRequests() {
  const { t } = useTranslation();
  const slow = useAnswer<{ results: StudioSlowRequest[] }>("/slow-requests", { every: EVERY_MS });
  return (
    <Section title={t("Slow requests")}>
      <Answered answer={slow} label={t("Loading the slow requests")}>
        {({ results }) => (
          <Table
            caption={t("Slow requests")}
            rows={results.slice(0, 50)}
            rowKey={({ at, path, ms }) => `${at} ${path} ${ms}`}
            empty={
              <EmptyState title={t("Nothing was slow")}>
                {t("A request that takes more than half a second is told here.")}
              </EmptyState>
            }
            columns={[
              {
                key: "request",
                label: t("Request"),
                cell: ({ method, path }) => (
                  <code className="cut" title={path}>
                    {method} {path}
                  </code>
                ),
              },
              { key: "status", label: t("Status"), number: true, cell: ({ status }) => status },
              { key: "ms", label: t("Took"), number: true, cell: ({ ms }) => `${ms} ms` },
              { key: "at", label: t("When"), cell: ({ at }) => <RelativeTime at={at} /> },
            ]}
          />
        )}
      </Answered>
    </Section>
  );
}
