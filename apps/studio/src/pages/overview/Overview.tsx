import type { StudioMetricsPoint } from "@purse/server/studio-api";
import {
  Chart,
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  QueryState,
  Skeleton,
  useTranslation,
} from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { Page, Section } from "../../components/Page.tsx";
import { SlowRequests } from "../../components/SlowRequests.tsx";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import { ChainTable } from "../chains/ChainTable.tsx";

const REFETCH_INTERVAL_MS = 10_000;
/** Length of a data point, in seconds. */
const POINT_SECONDS = 10;

/** Server health: metrics of the last hour, chains and slow requests. */
export function Overview() {
  const { t } = useTranslation();
  const points = useStudioQuery("/overview", {}, { refetchInterval: REFETCH_INTERVAL_MS });
  const chains = useStudioQuery("/chains", {}, { refetchInterval: REFETCH_INTERVAL_MS });
  return (
    <Page title={t("Overview")} description={t("Server health over the last hour")}>
      <QueryState
        query={points}
        label={t("Loading metrics…")}
        // Takes the place of the metrics, so that nothing moves when they come, also if their names need two lines.
        skeleton={
          <div className="stack" role="status" aria-label={t("Loading metrics…")}>
            <Metrics points={undefined} />
          </div>
        }
      >
        {(data) => <Metrics points={data.points} />}
      </QueryState>
      <Section title={t("Chains")}>
        <QueryState query={chains} label={t("Loading chains…")}>
          {({ results }) => <ChainTable chains={results} />}
        </QueryState>
      </Section>
      <SlowRequests />
    </Page>
  );
}

interface MetricsProps {
  /** Undefined while loading. */
  points: readonly StudioMetricsPoint[] | undefined;
}

function Metrics({ points }: MetricsProps) {
  const { t, language } = useTranslation();
  const formatDecimal = (value: number) => formatNumber(value, language, 1);
  const formatInteger = (value: number) => formatCount(value, language);
  const formatMs = (value: number) => formatDuration(value, language);
  const formatSize = (value: number) => formatBytes(value, language);
  // The last point is incomplete, so its rate would be too low.
  const completePoints = points && points.length > 1 ? points.slice(0, -1) : (points ?? []);
  const latest = points?.at(-1);
  const latestComplete = completePoints.at(-1);
  const countOf = (kind: "errors" | "refused") =>
    formatDecimal((points ?? []).reduce((sum, point) => sum + point[kind], 0));
  const tiles: readonly TileProps[] = [
    { name: t("Requests/s"), value: formatDecimal((latestComplete?.requests ?? 0) / POINT_SECONDS) },
    { name: t("Latency p50"), value: formatMs(latestComplete?.p50Ms ?? 0) },
    { name: t("Latency p95"), value: formatMs(latestComplete?.p95Ms ?? 0) },
    { name: t("Errors (last hour)"), value: countOf("errors"), requests: "failed" },
    { name: t("Refused (last hour)"), value: countOf("refused"), requests: "refused" },
    { name: t("Open WebSockets"), value: formatDecimal(latest?.sockets ?? 0) },
    { name: t("Memory"), value: formatSize(latest?.memoryBytes ?? 0) },
  ];
  const walBytes = latest?.walBytes ?? undefined;
  const walNote =
    walBytes === undefined ? undefined : t("with {size} write-ahead log", { size: formatSize(walBytes) });
  const plots: readonly PlotProps[] = [
    { name: t("Requests/s"), select: ({ requests }) => requests / POINT_SECONDS, format: formatDecimal },
    { name: t("Latency (p95)"), select: ({ p95Ms }) => p95Ms, format: formatMs },
    { name: t("Errors per 10 s"), select: ({ errors }) => errors, format: formatInteger },
    { name: t("Open WebSockets"), select: ({ sockets }) => sockets, format: formatInteger },
    {
      name: t("Database size"),
      note: walNote,
      select: databaseBytes,
      format: formatSize,
    },
    { name: t("Indexing lag (blocks)"), select: ({ lagBlocks }) => lagBlocks, format: formatInteger },
  ];
  return (
    <>
      <dl className="tiles">
        {tiles.map((tile) => (
          <div key={tile.name} className="tile">
            <dt>{tile.name}</dt>
            <dd>{points ? <TileValue {...tile} /> : <Skeleton width="4rem" />}</dd>
          </div>
        ))}
      </dl>
      <div className="charts">
        {plots.map((plot) => (
          <Plot key={plot.name} {...plot} points={points && completePoints} />
        ))}
      </div>
    </>
  );
}

/** The size of the database with its write-ahead log, which has what is not yet in the database file. */
export function databaseBytes({ storageBytes, walBytes }: StudioMetricsPoint): number | null {
  return storageBytes === null ? null : storageBytes + (walBytes ?? 0);
}

interface TileProps {
  name: string;
  value: string;
  /** The requests that it counts. */
  requests?: "failed" | "refused";
}

/** The value, with a link to the requests that it counts. */
function TileValue({ name, value, requests: kind }: TileProps) {
  if (!kind) return value;
  return (
    <Link to="/logs" search={{ show: "requests", kind }} aria-label={`${name}: ${value}`}>
      {value}
    </Link>
  );
}

interface PlotProps {
  name: string;
  /** Shown beside the name. */
  note?: string | undefined;
  /** Null where there is no value. */
  select: (point: StudioMetricsPoint) => number | null;
  format: (value: number) => string;
}

function Plot({ name, note, select, format, points }: PlotProps & MetricsProps) {
  const series = points?.flatMap((point) => {
    const value = select(point);
    return value === null ? [] : [{ at: Date.parse(point.at), value }];
  });
  return (
    <section className="card stack tight" aria-label={series && name}>
      <h2>
        {name} {note !== undefined && <span className="soft small number">{note}</span>}
      </h2>
      {series && <Chart label={name} points={series} format={format} height={170} />}
    </section>
  );
}
