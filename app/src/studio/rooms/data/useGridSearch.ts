import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Column, DataClass } from "./columns.ts";
import { conditionsOf, type Filter, isPlain, whereOf } from "./filters.ts";
import { orderOf, type PanelTab, sortedBy, sortsOf } from "./search.ts";

/** What cannot be sorted by. */
const UNSORTED = new Set(["Relation", "ACL", "GeoPoint", "Polygon", "Object", "Array", "File", "Bytes"]);

/** What the address says of a class's rows, and how to have it say something else. */
export function useGridSearch({ fields }: DataClass, columns: readonly Column[]) {
  const { order: wanted, filter: filters = [], as, row, tab = "fields" } = useSearch({ from: "/data" });
  const navigate = useNavigate({ from: "/data" });
  const isSorted = ({ type }: Pick<Column, "type">) => !UNSORTED.has(type);
  const sorts = sortsOf(wanted, new Set(columns.filter(isSorted).map(({ name }) => name)));
  const order = orderOf(sorts);
  // A field that is not there any more would be an error of the server, for a filter of an old link.
  const known = filters.filter((filter) => conditionsOf(filter).every(({ field }) => field in fields));
  const targetOf = (field: string) => {
    const type = fields[field];
    return type && "targetClass" in type ? type.targetClass : undefined;
  };
  return {
    filters,
    order,
    row,
    tab,
    asked: { where: whereOf(known, targetOf), order, as },
    as,
    /** Whether the feed of changes can tell which rows these are. */
    isFollowed: known.every(isPlain),
    sort(field: string, isMore: boolean): void {
      const type = fields[field]?.type;
      if (!type || !isSorted({ type })) return;
      void navigate({
        search: (before) => ({ ...before, order: orderOf(sortedBy(sorts, field, isMore)) }),
        resetScroll: false,
      });
    },
    filterBy: (filter: Filter[]) =>
      void navigate({
        search: (before) => ({ ...before, filter: filter.length > 0 ? filter : undefined }),
        resetScroll: false,
      }),
    lookAs: (who: string | undefined) => void navigate({ search: (before) => ({ ...before, as: who }) }),
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
