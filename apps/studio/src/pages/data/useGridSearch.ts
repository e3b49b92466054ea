import { conditionsOf, type Filter, toWhere, usesOnlyOwnFields } from "@purse/ui";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ChartConfig } from "./chart.ts";
import type { Column, DataClass } from "./columns.ts";
import type { SavedView } from "./savedViews.ts";
import { cycleSort, formatOrder, type PanelTab, parseSorts } from "./searchParams.ts";

/** Types that cannot be sorted. */
const UNSORTABLE_TYPES = new Set([
  "Relation",
  "ACL",
  "GeoPoint",
  "Polygon",
  "Object",
  "Array",
  "File",
  "Bytes",
]);

/** The order of rows that are not sorted. */
const NEWEST_FIRST = "-createdAt";

/** Reads and updates the search params of the grid. */
export function useGridSearch({ fields }: DataClass, columns: readonly Column[]) {
  const search = useSearch({ from: "/data" });
  const { order: orderParam, filter: filters = [], as, row, tab = "fields", chart } = search;
  const navigate = useNavigate({ from: "/data" });
  const isSortable = ({ type }: Pick<Column, "type">) => !UNSORTABLE_TYPES.has(type);
  const sorts = parseSorts(orderParam, new Set(columns.filter(isSortable).map(({ name }) => name)));
  const order = formatOrder(sorts);
  // Filters on deleted fields would be rejected by the server.
  const validFilters = filters.filter((filter) => conditionsOf(filter).every(({ field }) => field in fields));
  const targetOf = (field: string) => {
    const type = fields[field];
    return type && "targetClass" in type ? type.targetClass : undefined;
  };
  return {
    filters,
    order,
    row,
    tab,
    chart,
    query: { where: toWhere(validFilters, targetOf), order: order ?? NEWEST_FIRST, as },
    as,
    /** Whether live updates are possible for these filters. */
    isLive: validFilters.every(usesOnlyOwnFields),
    sort(field: string, isAdditive: boolean): void {
      const type = fields[field]?.type;
      if (!type || !isSortable({ type })) return;
      void navigate({
        search: (before) => ({ ...before, order: formatOrder(cycleSort(sorts, field, isAdditive)) }),
        resetScroll: false,
      });
    },
    filterBy: (filter: Filter[]) =>
      void navigate({
        search: (before) => ({ ...before, filter: filter.length > 0 ? filter : undefined }),
        resetScroll: false,
      }),
    /** Opens a chart of the rows, or closes it. */
    showChart: (to: ChartConfig | undefined) =>
      void navigate({
        search: (before) => ({ ...before, chart: to }),
        replace: chart !== undefined && to !== undefined,
        resetScroll: false,
      }),
    openView: ({ filter, order: savedOrder, chart: savedChart }: Omit<SavedView, "name">) =>
      void navigate({
        search: (before) => ({
          ...before,
          filter: filter.length > 0 ? filter : undefined,
          order: savedOrder,
          chart: savedChart,
        }),
        resetScroll: false,
      }),
    viewAs: (userId: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, as: userId }) }),
    /** Opens a row in the side panel; a row of another class switches the grid. */
    open: (objectId: string | undefined, className?: string) =>
      void navigate({
        search: (before) =>
          className === undefined
            ? { ...before, row: objectId, ...(objectId === undefined && { tab: undefined }) }
            : { class: className, row: objectId },
        resetScroll: false,
      }),
    showTab: (to: PanelTab) =>
      void navigate({
        search: (before) => ({ ...before, tab: to === "fields" ? undefined : to }),
        replace: true,
        resetScroll: false,
      }),
  };
}
