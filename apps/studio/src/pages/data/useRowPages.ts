import type { JsonObject } from "@purse/protocol";
import type { StudioPage } from "@purse/server/studio-api";
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { RowsQuery } from "../../components/Combobox.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { prependRow, type RowPages, removeRow, replaceRow, uniqueRows } from "./rowPages.ts";

const PAGE = 200;

/** Query of the rows: `where`, `order`, `as`. */
export type RowQuery = Pick<RowsQuery, "where" | "order" | "as">;

/** Key of the loaded pages in the cache. */
export function rowsKey(className: string, query: RowQuery) {
  return ["/data/:className", className, query];
}

/** Slower pages show a notice, in ms. */
const SLOW_MS = 700;

/** Loads rows page by page while scrolling, without waiting for a count. */
export function useRowPages(className: string, query: RowQuery) {
  const studio = useStudio();
  const queryClient = useQueryClient();
  const queryKey = rowsKey(className, query);
  const [slowMs, setSlowMs] = useState<number | undefined>(undefined);
  const result = useInfiniteQuery({
    queryKey,
    async queryFn({ pageParam, signal }) {
      const startedAt = performance.now();
      const page = await studio.getRows(
        "/data/:className",
        { className, ...query, limit: PAGE },
        pageParam,
        signal,
      );
      const ms = performance.now() - startedAt;
      setSlowMs(ms > SLOW_MS ? ms : undefined);
      return page;
    },
    initialPageParam: "",
    getNextPageParam: ({ next }: StudioPage<JsonObject>) => next,
    // Refetching would reload all loaded pages.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
    // Returning to the grid starts with a fresh first page.
    gcTime: 0,
    // Keeps the previous rows until the new ones are loaded.
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(() => result.data && uniqueRows(result.data), [result.data]);
  const updatePages = (change: (pages: RowPages) => RowPages) =>
    queryClient.setQueryData<RowPages>(queryKey, (pages) => pages && change(pages));
  return {
    ...result,
    rows,
    /** Duration of the last page in ms, if slow. */
    slowMs,
    replace: (row: JsonObject) => updatePages((pages) => replaceRow(pages, row)),
    add: (row: JsonObject) => updatePages((pages) => prependRow(pages, row)),
    remove: (objectId: string) => updatePages((pages) => removeRow(pages, objectId)),
    /** Reloads the first page only. */
    refresh(): Promise<void> {
      updatePages(({ pages, pageParams }) => ({
        pages: pages.slice(0, 1),
        pageParams: pageParams.slice(0, 1),
      }));
      return queryClient.invalidateQueries({ queryKey });
    },
  };
}

/** Counts stop here unless an exact count is requested. */
const COUNT_CAP = 1_000;

/** Counts rows up to a cap or exactly, after the first page. */
export function useCount(
  className: string,
  { where, as }: RowQuery,
  { enabled, isExact }: { enabled: boolean; isExact: boolean },
) {
  const studio = useStudio();
  const input = { className, where, as, ...(isExact ? { exact: true } : { cap: COUNT_CAP }) };
  return useQuery({
    queryKey: ["/data/:className/count", input],
    queryFn: ({ signal }) => studio.get("/data/:className/count", input, signal),
    enabled,
    refetchOnWindowFocus: false,
  });
}
