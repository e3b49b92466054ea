import type { StudioSlowRequest } from "@purse/protocol";
import { EmptyState, QueryState, RelativeTime, Table, useTranslation } from "@purse/ui";
import { Section } from "./Page.tsx";
import { useStudioQuery } from "./queries.ts";

const REFETCH_INTERVAL_MS = 10_000;

/** Requests slower than 500 ms, newest first. */
export function SlowRequests() {
  const { t } = useTranslation();
  const query = useStudioQuery<{ results: StudioSlowRequest[] }>("/slow-requests", {
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  return (
    <Section title={t("Slow requests")}>
      <QueryState query={query} label={t("Loading slow requests…")}>
        {({ results }) => (
          <Table
            caption={t("Slow requests")}
            rows={results.slice(0, 50)}
            rowKey={({ at, path, ms }) => `${at} ${path} ${ms}`}
            empty={
              <EmptyState title={t("No slow requests")}>
                {t("Requests that take longer than 500 ms appear here.")}
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
              { key: "ms", label: t("Duration"), number: true, cell: ({ ms }) => `${ms} ms` },
              { key: "at", label: t("When"), cell: ({ at }) => <RelativeTime at={at} /> },
            ]}
          />
        )}
      </QueryState>
    </Section>
  );
}
