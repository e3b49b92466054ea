import { formatDuration, RelativeTime, useTranslation } from "@purse/ui";
import { CutText } from "./cells.tsx";
import { ListSection } from "./ListSection.tsx";
import { useStudioList } from "./useStudioQuery.ts";

const REFETCH_INTERVAL_MS = 10_000;
const MAX_ROWS = 50;

/** Requests slower than 500 ms, newest first. */
export function SlowRequests() {
  const { t, language } = useTranslation();
  const query = useStudioList("/slow-requests", {}, { refetchInterval: REFETCH_INTERVAL_MS });
  return (
    <ListSection
      title={t("Slow requests")}
      query={{ ...query, data: query.data?.slice(0, MAX_ROWS) }}
      loadingLabel={t("Loading slow requests…")}
      rowKey={({ at, path, ms }) => `${at} ${path} ${ms}`}
      empty={{ title: t("No slow requests"), text: t("Requests that take longer than 500 ms appear here.") }}
      columns={[
        {
          label: t("Request"),
          cell: ({ method, path }) => <CutText isCode text={`${method} ${path}`} title={path} />,
        },
        { label: t("Status"), number: true, cell: ({ status }) => status },
        { label: t("Duration"), number: true, cell: ({ ms }) => formatDuration(ms, language) },
        { label: t("When"), cell: ({ at }) => <RelativeTime at={at} /> },
      ]}
    />
  );
}
