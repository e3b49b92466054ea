import type { JsonObject, StudioCount, StudioPage } from "@purse/protocol";
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Query } from "../../api.ts";
import { useStudio } from "../../StudioContext.tsx";
import { prependRow, type RowPages, removeRow, replaceRow, uniqueRows } from "./rowPages.ts";

const PAGE = 200;

/** What is asked for: `where`, `order`, `as`. */
export type RowQuery = Query;

/** A page that takes longer is one to explain, in ms. */
const SLOW_MS = 700;

/** The rows of a class as far as somebody has scrolled, page after page. Nothing here waits for a count. */
export function useRowPages(className: string, query: RowQuery) {
  const studio = useStudio();
  const queryClient = useQueryClient();
  const path = `/data/${className}`;
  const queryKey = [path, query];
  const [slowMs, setSlowMs] = useState<number | undefined>(undefined);
  const result = useInfiniteQuery({
    queryKey,
    async queryFn({ pageParam, signal }) {
      const startedAt = performance.now();
      const page = await studio.get<StudioPage<JsonObject>>(
        path,
        { ...query, limit: PAGE, after: pageParam },
        signal,
      );
      const ms = performance.now() - startedAt;
      setSlowMs(ms > SLOW_MS ? ms : undefined);
      return page;
    },
    initialPageParam: "",
    getNextPageParam: ({ next }: StudioPage<JsonObject>) => next,
    // A grid that was scrolled far would ask for all of its pages again.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
    // Who comes back begins with the first page, as it is then.
    gcTime: 0,
    // Until others are there, those of the question before stay.
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(() => result.data && uniqueRows(result.data), [result.data]);
  const updatePages = (change: (pages: RowPages) => RowPages) =>
    queryClient.setQueryData<RowPages>(queryKey, (pages) => pages && change(pages));
  return {
    ...result,
    rows,
    /** How long the last page took, where that was long. */
    slowMs,
    replace: (row: JsonObject) => updatePages((pages) => replaceRow(pages, row)),
    add: (row: JsonObject) => updatePages((pages) => prependRow(pages, row)),
    remove: (objectId: string) => updatePages((pages) => removeRow(pages, objectId)),
    /** From the first page on: those that somebody has scrolled through are not all asked again. */
    refresh(): Promise<void> {
      updatePages(({ pages, pageParams }) => ({
        pages: pages.slice(0, 1),
        pageParams: pageParams.slice(0, 1),
      }));
      return queryClient.invalidateQueries({ queryKey });
    },
  };
}

/** Beyond so many it is counted only where somebody asks. */
const COUNT_CAP = 1_000;

/** How many rows there are, up to a cap or exactly; comes after the first page. */
export function useCount(
  className: string,
  { where, as }: RowQuery,
  { enabled, isExact }: { enabled: boolean; isExact: boolean },
) {
  const studio = useStudio();
  const path = `/data/${className}/count`;
  const limit: Query = isExact ? { exact: true } : { cap: COUNT_CAP };
  return useQuery({
    queryKey: [path, { where, as, isExact }],
    queryFn: ({ signal }) => studio.get<StudioCount>(path, { where, as, ...limit }, signal),
    enabled,
    refetchOnWindowFocus: false,
  });
}
