import { formatDuration, RelativeTime, Select, Status, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { CutText } from "../../components/cells.tsx";
import { ListSection } from "../../components/ListSection.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useStudioList } from "../../components/useStudioQuery.ts";

const REFETCH_INTERVAL_MS = 5_000;
const MAX_ROWS = 200;
const KINDS = ["all", "refused", "failed"] as const;
type Kind = (typeof KINDS)[number];
const LABELS: Record<Kind, string> = {
  all: "All requests",
  refused: "Refused (4xx)",
  failed: "Failed (5xx)",
};

/** The last requests of apps and clients, with those that were refused. */
export function Requests() {
  const { t, language } = useTranslation();
  const [kindParam, setKind] = useSearchParam("kind");
  const kind = KINDS.find((each) => each === kindParam) ?? "all";
  const query = useStudioList("/requests", { kind }, { refetchInterval: REFETCH_INTERVAL_MS });
  return (
    <ListSection
      title={t("Requests")}
      query={{ ...query, data: query.data?.slice(0, MAX_ROWS) }}
      loadingLabel={t("Loading requests…")}
      rowKey={({ requestId }) => requestId}
      filters={
        <Select
          label={t("Result")}
          value={kind}
          onChange={(to) => setKind(to === "all" ? "" : to)}
          options={KINDS.map((key) => ({ key, label: t(LABELS[key]) }))}
        />
      }
      empty={{
        title: t("No requests yet"),
        text: t("Requests to this process appear here. Those of the studio are not listed."),
      }}
      onClearFilters={kind === "all" ? undefined : () => setKind("")}
      columns={[
        {
          label: t("Request"),
          cell: ({ method, path }) => <CutText isCode text={`${method} ${path}`} title={path} />,
        },
        {
          label: t("Status"),
          cell: ({ status, code }) => (
            <Status kind={status >= 500 ? "danger" : status >= 400 ? "warning" : "ok"}>
              {code === undefined
                ? String(status)
                : t("{status}, code {code}", { status: String(status), code: String(code) })}
            </Status>
          ),
        },
        {
          label: t("User"),
          hideOnPhone: true,
          cell: ({ userId, isMaster }) => <Sender userId={userId} isMaster={isMaster} />,
        },
        { label: t("Duration"), number: true, cell: ({ ms }) => formatDuration(ms, language) },
        { label: t("When"), cell: ({ at }) => <RelativeTime at={at} /> },
        {
          label: t("Request ID"),
          cell: ({ requestId }) => (
            <Link
              to="/logs"
              search={{ request: requestId }}
              aria-label={t("Log entries of {request}", { request: requestId })}
            >
              <CutText isCode text={requestId} title={requestId} />
            </Link>
          ),
        },
      ]}
    />
  );
}

/** Who has sent a request, with a link to the user. */
function Sender({ userId, isMaster }: { userId: string | undefined; isMaster: boolean | undefined }) {
  const { t } = useTranslation();
  if (isMaster) return <span className="soft">{t("Master key")}</span>;
  if (userId === undefined) return <span className="soft">–</span>;
  return (
    <Link to="/data" search={{ class: "_User", row: userId }}>
      <code>{userId}</code>
    </Link>
  );
}
