import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Column, DataClass } from "./columns.ts";
import { conditionsOf, type Filter, toWhere, usesOnlyOwnFields } from "./filters.ts";
import { cycleSort, formatOrder, type PanelTab, parseSorts } from "./search.ts";

/** What cannot be sorted by. */
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

/** What the address says of a class's rows, and how to have it say something else. */
export function useGridSearch({ fields }: DataClass, columns: readonly Column[]) {
  const { order: orderParam, filter: filters = [], as, row, tab = "fields" } = useSearch({ from: "/data" });
  const navigate = useNavigate({ from: "/data" });
  const isSortable = ({ type }: Pick<Column, "type">) => !UNSORTABLE_TYPES.has(type);
  const sorts = parseSorts(orderParam, new Set(columns.filter(isSortable).map(({ name }) => name)));
  const order = formatOrder(sorts);
  // A field that is not there any more would be an error of the server, for a filter of an old link.
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
    query: { where: toWhere(validFilters, targetOf), order, as },
    as,
    /** Whether the feed of changes can tell which rows these are. */
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
    viewAs: (userId: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, as: userId }) }),
    /** A row beside the grid; of another class, with the grid of that. */
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
