import { conditionsOf, type Filter, toWhere, usesOnlyOwnFields } from "@purse/ui";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ChartConfig } from "./chart.ts";
import type { Column, DataClass } from "./columns.ts";
import type { ViewContent } from "./savedViews.ts";
import {
  cycleSort,
  type DataSearch,
  formatOrder,
  type PanelTab,
  parseSorts,
  reversed,
  type Sort,
} from "./searchParams.ts";

/** Types that cannot be sorted. */
const UNSORTABLE = /^(Relation|ACL|GeoPoint|Polygon|Object|Array|File|Bytes)$/;

/** The order of rows that are not sorted. */
const DEFAULT_SORTS: readonly Sort[] = [{ field: "createdAt", isDescending: true }];
const NEWEST_FIRST = formatOrder(DEFAULT_SORTS);

/** Reads and updates the search params of the grid. */
export function useGridSearch({ fields }: DataClass, columns: readonly Column[]) {
  const search = useSearch({ from: "/data" });
  const { order: orderParam, filter: filters = [], as, row, tab = "fields", chart } = search;
  const navigate = useNavigate({ from: "/data" });
  const isSortable = ({ type }: Pick<Column, "type">) => !UNSORTABLE.test(type);
  const sorts = parseSorts(orderParam, new Set(columns.filter(isSortable).map(({ name }) => name)));
  const order = formatOrder(sorts);
  // Filters on deleted fields would be rejected by the server.
  const validFilters = filters.filter((filter) =>
    conditionsOf(filter).every(({ field }) => Object.hasOwn(fields, field)),
  );
  const targetOf = (field: string) => {
    const type = fields[field];
    return type && "targetClass" in type ? type.targetClass : undefined;
  };
  const update = (change: Partial<DataSearch>, options: { replace?: boolean } = {}) =>
    void navigate({ search: (before) => ({ ...before, ...change }), resetScroll: false, ...options });
  const filterParam = (filter: Filter[]) => (filter.length > 0 ? filter : undefined);
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
      if (type && isSortable({ type })) update({ order: formatOrder(cycleSort(sorts, field, isAdditive)) });
    },
    /** Shows the last rows first. */
    reverse: () => update({ order: formatOrder(reversed(sorts.length > 0 ? sorts : DEFAULT_SORTS)) }),
    filterBy: (filter: Filter[]) => update({ filter: filterParam(filter) }),
    /** Opens a chart of the rows, or closes it. */
    showChart: (to: ChartConfig | undefined) =>
      update({ chart: to }, { replace: chart !== undefined && to !== undefined }),
    openView: ({ filter, order: savedOrder, chart: savedChart }: ViewContent) =>
      update({ filter: filterParam(filter), order: savedOrder, chart: savedChart }),
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
    showTab: (to: PanelTab) => update({ tab: to === "fields" ? undefined : to }, { replace: true }),
  };
}
