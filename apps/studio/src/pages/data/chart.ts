import type { StudioChart } from "@purse/server/studio-api";
import { formatDate } from "@purse/ui";

export const FUNCTIONS = ["count", "sum", "avg", "min", "max"] as const;
export const INTERVALS = ["hour", "day", "month", "year"] as const;
export const SHAPES = ["line", "bar"] as const;

/** What a chart of the rows of a class shows. */
export interface ChartConfig {
  fn: (typeof FUNCTIONS)[number];
  /** The field with the numbers, except for `count`. */
  field?: string | undefined;
  /** A date, or the field whose values are the groups. */
  by: string;
  /** For dates. */
  interval: (typeof INTERVALS)[number];
  /** Charts of groups are always bars. */
  shape: (typeof SHAPES)[number];
}

export const DEFAULT_CHART: ChartConfig = { fn: "count", by: "createdAt", interval: "day", shape: "line" };

/** Parses a chart of the URL or of a saved view; undefined if it is invalid. */
export function parseChart(value: unknown): ChartConfig | undefined {
  const { fn, field, by, interval, shape } = Object(value);
  const known = {
    fn: FUNCTIONS.find((each) => each === fn),
    interval: INTERVALS.find((each) => each === interval),
    shape: SHAPES.find((each) => each === shape),
  };
  if (!known.fn || !known.interval || !known.shape || typeof by !== "string") return undefined;
  return {
    fn: known.fn,
    interval: known.interval,
    shape: known.shape,
    by,
    ...(typeof field === "string" && { field }),
  };
}

/** The chart with fields that the class has. */
export function withKnownFields(
  chart: ChartConfig,
  numberFields: readonly string[],
  groupFields: readonly string[],
): ChartConfig {
  const field = numberFields.includes(chart.field ?? "") ? chart.field : numberFields[0];
  return {
    ...chart,
    fn: field === undefined ? "count" : chart.fn,
    field,
    by: groupFields.includes(chart.by) ? chart.by : DEFAULT_CHART.by,
  };
}

/** Maximum number of times of a line. */
const MAX_TIMES = 2_000;

export interface Timeline {
  /** `at` is in ms since 1970. */
  points: { at: number; value: number }[];
  /** Whether there are earlier points. */
  isCut: boolean;
}

/**
 * Converts points in time to those of a line, at most the last MAX_TIMES. Times without rows are 0 in counts and sums;
 * other aggregates have no value there and are left out.
 */
export function toTimeline(
  points: StudioChart["points"],
  { fn, interval }: Pick<ChartConfig, "fn" | "interval">,
): Timeline {
  const values = new Map<number, number>();
  for (const { key, value } of points) if (value !== null) values.set(timeOf(key), value);
  const known = points.map(({ key }) => timeOf(key));
  const [first, last] = [known[0], known.at(-1)];
  if ((fn !== "count" && fn !== "sum") || first === undefined || last === undefined) {
    return { points: [...values].map(([at, value]) => ({ at, value })), isCut: false };
  }
  const earliest = addIntervals(last, interval, 1 - MAX_TIMES);
  const all: Timeline["points"] = [];
  for (let at = Math.max(first, earliest); at <= last; at = addIntervals(at, interval, 1)) {
    all.push({ at, value: values.get(at) ?? 0 });
  }
  return { points: all, isCut: first < earliest };
}

/** The styles of dates for the intervals. */
const STYLES = { hour: "utc", day: "utcDate", month: "utcMonth", year: "utcYear" } as const;

/** The name of an interval, for example `January 2026`. */
export function intervalName(
  key: StudioChart["points"][number]["key"],
  interval: ChartConfig["interval"],
  language: string,
): string {
  return formatDate(timeOf(key), language, STYLES[interval]);
}

/** The beginning of an interval, from the beginning of its ISO text. */
function timeOf(key: StudioChart["points"][number]["key"]): number {
  const text = String(key);
  return Date.parse(`${text}${"0000-01-01T00:00:00.000Z".slice(text.length)}`);
}

function addIntervals(at: number, interval: ChartConfig["interval"], n: number): number {
  const date = new Date(at);
  if (interval === "hour") date.setUTCHours(date.getUTCHours() + n);
  else if (interval === "day") date.setUTCDate(date.getUTCDate() + n);
  else if (interval === "month") date.setUTCMonth(date.getUTCMonth() + n);
  else date.setUTCFullYear(date.getUTCFullYear() + n);
  return date.getTime();
}
