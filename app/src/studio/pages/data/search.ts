import { type Filter, parseFilters } from "./filters.ts";

/** What the address says of the room: which class, in which order, as whom. */
export interface DataSearch {
  class?: string | undefined;
  /** As in the Parse protocol: `score,-createdAt`. */
  order?: string | undefined;
  filter?: Filter[] | undefined;
  /** The id of a user, or `anonymous`. */
  as?: string | undefined;
  /** The id of the row that is open beside the grid. */
  row?: string | undefined;
  tab?: PanelTab | undefined;
}

/** What is shown of a row: all fields where the address does not say. */
export type PanelTab = "fields" | "related" | "changes";

export interface Sort {
  field: string;
  isDescending: boolean;
}

/** The router reads texts that look like numbers as such: they are texts here. */
export function parseSearch(search: Record<string, unknown>): DataSearch {
  return {
    class: stringParam(search.class),
    order: stringParam(search.order),
    filter: parseFilters(search.filter),
    as: stringParam(search.as),
    row: stringParam(search.row),
    tab: search.tab === "related" || search.tab === "changes" ? search.tab : undefined,
  };
}

function stringParam(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Parts that name no field that can be sorted by are left out: an old link shows the rows nevertheless. */
export function parseSorts(order: string | undefined, fields: ReadonlySet<string>): Sort[] {
  return (order ?? "").split(",").flatMap((part) => {
    const field = part.replace(/^-/, "");
    return fields.has(field) ? [{ field, isDescending: part.startsWith("-") }] : [];
  });
}

export function formatOrder(sorts: readonly Sort[]): string | undefined {
  return sorts.map(({ field, isDescending }) => (isDescending ? `-${field}` : field)).join() || undefined;
}

/** Upwards, then downwards, then not at all; beside the others where `isMore`, else in their place. */
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
