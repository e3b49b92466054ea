import type { JsonObject, StudioCount, StudioPage } from "@purse/protocol";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Query } from "../../api.ts";
import { useStudio } from "../../StudioContext.tsx";

const PAGE = 200;

/** What is asked for: `where`, `order`, `as`. */
export type Asked = Query;

/** The rows of a class as far as somebody has scrolled, page after page. Nothing here waits for a count. */
export function usePages(className: string, asked: Asked) {
  const studio = useStudio();
  const path = `/data/${className}`;
  const found = useInfiniteQuery({
    queryKey: [path, asked],
    queryFn: ({ pageParam, signal }) =>
      studio.get<StudioPage<JsonObject>>(path, { ...asked, limit: PAGE, after: pageParam }, signal),
    initialPageParam: "",
    getNextPageParam: ({ next }: StudioPage<JsonObject>) => next,
    // A grid that was scrolled far would ask for all of its pages again.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const rows = useMemo(() => found.data && eachOnce(found.data.pages), [found.data]);
  return { ...found, rows };
}

/** A row whose place in the order changes between two pages comes in both. */
function eachOnce(pages: readonly StudioPage<JsonObject>[]): JsonObject[] {
  const rows = new Map<unknown, JsonObject>();
  for (const { results } of pages) for (const row of results) rows.set(row.objectId, row);
  return [...rows.values()];
}

/** Beyond so many it is counted only where somebody asks. */
const COUNT_CAP = 5_000;

/** How many rows there are, up to a cap or exactly; comes after the first page. */
export function useCount(
  className: string,
  { where, as }: Asked,
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
