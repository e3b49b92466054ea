import { type Filter, parseFilters } from "@purse/ui";
import { type ChartConfig, parseChart } from "./chart.ts";

/** Search params of the data page. */
export interface DataSearch {
  class?: string | undefined;
  /** Parse order, for example `score,-createdAt`. */
  order?: string | undefined;
  filter?: Filter[] | undefined;
  /** User id, or `anonymous`. */
  as?: string | undefined;
  /** Id of the row in the side panel. */
  row?: string | undefined;
  tab?: PanelTab | undefined;
  /** The chart of the rows that is open. */
  chart?: ChartConfig | undefined;
}

/** Tab of the row panel; defaults to fields. */
export type PanelTab = "fields" | "related" | "changes";

export interface Sort {
  field: string;
  isDescending: boolean;
}

/** The router parses numeric strings as numbers, so they are converted back. */
export function parseSearch(search: Record<string, unknown>): DataSearch {
  return {
    class: stringParam(search.class),
    order: stringParam(search.order),
    filter: parseFilters(search.filter),
    as: stringParam(search.as),
    row: stringParam(search.row),
    tab: search.tab === "related" || search.tab === "changes" ? search.tab : undefined,
    chart: parseChart(search.chart),
  };
}

function stringParam(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Unknown fields are omitted, so that old links still work. */
export function parseSorts(order: string | undefined, fields: ReadonlySet<string>): Sort[] {
  return (order ?? "").split(",").flatMap((part) => {
    const field = part.replace(/^-/, "");
    return fields.has(field) ? [{ field, isDescending: part.startsWith("-") }] : [];
  });
}

export function formatOrder(sorts: readonly Sort[]): string | undefined {
  return sorts.map(({ field, isDescending }) => (isDescending ? `-${field}` : field)).join() || undefined;
}

/** The order in which the last rows come first. */
export function reversed(sorts: readonly Sort[]): Sort[] {
  return sorts.map(({ field, isDescending }) => ({ field, isDescending: !isDescending }));
}

/** Cycles ascending, descending, unsorted; adds to the other sorts if `isAdditive`. */
export function cycleSort(sorts: readonly Sort[], field: string, isAdditive: boolean): Sort[] {
  const current = sorts.find((sort) => sort.field === field);
  const next = !current
    ? { field, isDescending: false }
    : current.isDescending
      ? undefined
      : { field, isDescending: true };
  if (!isAdditive) return next ? [next] : [];
  if (!current) return next ? [...sorts, next] : [...sorts];
  return sorts.flatMap((sort) => (sort.field !== field ? [sort] : next ? [next] : []));
}
