import type { StudioPoint } from "@purse/protocol";
import { Chart } from "../../../design/Chart.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { type ChainsAnswer, ChainTable } from "../chains/ChainTable.tsx";
import { useAnswer } from "../parts/asking.ts";
import { bytes } from "../parts/fields.ts";
import { Answered, Room, Section } from "../parts/Room.tsx";
import { SlowRequests } from "../parts/SlowRequests.tsx";

const EVERY_MS = 10_000;
/** A point is of so many seconds. */
const POINT_S = 10;

/** How the server does: the last hour, the chains, what took long. */
export function Overview() {
  const { t } = useTranslation();
  const points = useAnswer<{ points: StudioPoint[] }>("/overview", { every: EVERY_MS });
  const chains = useAnswer<ChainsAnswer>("/chains", { every: EVERY_MS });
  return (
    <Room title={t("Overview")} about={t("How this server does. The figures are of the last hour.")}>
      <Answered answer={points} label={t("Loading the figures")}>
        {(data) => <Figures points={data.points} />}
      </Answered>
      <Section title={t("Chains")}>
        <Answered answer={chains} label={t("Loading the chains")}>
          {({ results }) => <ChainTable chains={results} />}
        </Answered>
      </Section>
      <SlowRequests />
    </Room>
  );
}

function Figures({ points }: { points: readonly StudioPoint[] }) {
  const { t, language } = useTranslation();
  // The last point is of seconds that are not over yet: a rate of it would be too low.
  const ended = points.length > 1 ? points.slice(0, -1) : points;
  const now = points.at(-1);
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const write = (value: number) => number.format(value);
  // Between whole numbers there is nothing of what is counted: such lines of a chart have no number.
  const whole = (value: number) => (Number.isInteger(value) ? number.format(value) : "");
  const ms = (value: number) => `${number.format(value)} ms`;
  const size = (value: number) => bytes(value, language);
  const line = (of: (point: StudioPoint) => number | null) =>
    ended.flatMap((point) => {
      const value = of(point);
      return value === null ? [] : [{ at: Date.parse(point.at), value }];
    });
  const last = ended.at(-1);
  return (
    <>
      <dl className="tiles">
        <Tile name={t("Requests a second")} value={write((last?.requests ?? 0) / POINT_S)} />
        <Tile name={t("Half are faster than")} value={ms(last?.p50Ms ?? 0)} />
        <Tile name={t("95 of 100 are faster than")} value={ms(last?.p95Ms ?? 0)} />
        <Tile
          name={t("Errors in the hour")}
          value={write(points.reduce((sum, { errors }) => sum + errors, 0))}
        />
        <Tile name={t("Live sockets")} value={write(now?.sockets ?? 0)} />
        <Tile name={t("Memory")} value={size(now?.memoryBytes ?? 0)} />
      </dl>
      <div className="charts">
        <Plot
          name={t("Requests a second")}
          points={line(({ requests }) => requests / POINT_S)}
          format={write}
        />
        <Plot name={t("Latency, 95 of 100 are faster")} points={line(({ p95Ms }) => p95Ms)} format={ms} />
        <Plot name={t("Errors in ten seconds")} points={line(({ errors }) => errors)} format={whole} />
        <Plot name={t("Live sockets")} points={line(({ sockets }) => sockets)} format={whole} />
        <Plot
          name={t("Size of the database")}
          points={line(({ storageBytes }) => storageBytes)}
          format={size}
        />
        <Plot
          name={t("Blocks that the index is behind")}
          points={line(({ lagBlocks }) => lagBlocks)}
          format={whole}
        />
      </div>
    </>
  );
}

function Tile({ name, value }: { name: string; value: string }) {
  return (
    <div className="tile">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Plot({
  name,
  points,
  format,
}: {
  name: string;
  points: { at: number; value: number }[];
  format: (value: number) => string;
}) {
  return (
    <section className="card stack tight" aria-label={name}>
      <h2>{name}</h2>
      <Chart label={name} points={points} format={format} height={170} />
    </section>
  );
}
