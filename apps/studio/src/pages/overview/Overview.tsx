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
import type { ReactNode } from "react";
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
      <QueryState query={points} label={t("Loading metrics…")} skeleton={<MetricsSkeleton />}>
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

function Metrics({ points }: { points: readonly StudioMetricsPoint[] }) {
  const { t, language } = useTranslation();
  // The last point is incomplete, so its rate would be too low.
  const completePoints = points.length > 1 ? points.slice(0, -1) : points;
  const latest = points.at(-1);
  const formatDecimal = (value: number) => formatNumber(value, language, 1);
  const formatInteger = (value: number) => formatCount(value, language);
  const formatMs = (value: number) => formatDuration(value, language);
  const formatSize = (value: number) => formatBytes(value, language);
  const seriesOf = (select: (point: StudioMetricsPoint) => number | null) =>
    completePoints.flatMap((point) => {
      const value = select(point);
      return value === null ? [] : [{ at: Date.parse(point.at), value }];
    });
  const latestComplete = completePoints.at(-1);
  const errorCount = formatDecimal(points.reduce((sum, { errors }) => sum + errors, 0));
  const refusedCount = formatDecimal(points.reduce((sum, { refused }) => sum + refused, 0));
  return (
    <>
      <dl className="tiles">
        <Tile name={t("Requests/s")} value={formatDecimal((latestComplete?.requests ?? 0) / POINT_SECONDS)} />
        <Tile name={t("Latency p50")} value={formatMs(latestComplete?.p50Ms ?? 0)} />
        <Tile name={t("Latency p95")} value={formatMs(latestComplete?.p95Ms ?? 0)} />
        <RequestTile name={t("Errors (last hour)")} kind="failed" count={errorCount} />
        <RequestTile name={t("Refused (last hour)")} kind="refused" count={refusedCount} />
        <Tile name={t("Open WebSockets")} value={formatDecimal(latest?.sockets ?? 0)} />
        <Tile name={t("Memory")} value={formatSize(latest?.memoryBytes ?? 0)} />
      </dl>
      <div className="charts">
        <Plot
          name={t("Requests/s")}
          points={seriesOf(({ requests }) => requests / POINT_SECONDS)}
          format={formatDecimal}
        />
        <Plot name={t("Latency (p95)")} points={seriesOf(({ p95Ms }) => p95Ms)} format={formatMs} />
        <Plot name={t("Errors per 10 s")} points={seriesOf(({ errors }) => errors)} format={formatInteger} />
        <Plot
          name={t("Open WebSockets")}
          points={seriesOf(({ sockets }) => sockets)}
          format={formatInteger}
        />
        <Plot
          name={t("Database size")}
          note={
            latest?.walBytes === null || latest?.walBytes === undefined
              ? undefined
              : t("+ {size} write-ahead log", { size: formatSize(latest.walBytes) })
          }
          points={seriesOf(({ storageBytes }) => storageBytes)}
          format={formatSize}
        />
        <Plot
          name={t("Indexing lag (blocks)")}
          points={seriesOf(({ lagBlocks }) => lagBlocks)}
          format={formatInteger}
        />
      </div>
    </>
  );
}

/** Takes the place of the metrics, so that nothing moves when they come, also if their names need two lines. */
function MetricsSkeleton() {
  const { t } = useTranslation();
  const tiles = [
    t("Requests/s"),
    t("Latency p50"),
    t("Latency p95"),
    t("Errors (last hour)"),
    t("Refused (last hour)"),
    t("Open WebSockets"),
    t("Memory"),
  ];
  const charts = [
    t("Requests/s"),
    t("Latency (p95)"),
    t("Errors per 10 s"),
    t("Open WebSockets"),
    t("Database size"),
    t("Indexing lag (blocks)"),
  ];
  return (
    <div className="stack" role="status" aria-label={t("Loading metrics…")}>
      <dl className="tiles">
        {tiles.map((name) => (
          <div key={name} className="tile">
            <dt>{name}</dt>
            <dd>
              <Skeleton width="4rem" />
            </dd>
          </div>
        ))}
      </dl>
      <div className="charts">
        {charts.map((name) => (
          <section key={name} className="card stack tight">
            <h2>{name}</h2>
          </section>
        ))}
      </div>
    </div>
  );
}

/** A number of requests, with a link to them. */
function RequestTile({ name, kind, count }: { name: string; kind: "failed" | "refused"; count: string }) {
  return (
    <Tile
      name={name}
      value={
        <Link to="/logs" search={{ show: "requests", kind }} aria-label={`${name}: ${count}`}>
          {count}
        </Link>
      }
    />
  );
}

function Tile({ name, value }: { name: string; value: ReactNode }) {
  return (
    <div className="tile">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

interface PlotProps {
  name: string;
  /** Shown beside the name. */
  note?: string | undefined;
  points: { at: number; value: number }[];
  format: (value: number) => string;
}

function Plot({ name, note, points, format }: PlotProps) {
  return (
    <section className="card stack tight" aria-label={name}>
      <h2>
        {name} {note !== undefined && <span className="soft small number">{note}</span>}
      </h2>
      <Chart label={name} points={points} format={format} height={170} />
    </section>
  );
}
