import type { Attributes, ParseObject } from "@purse/client";
import { type DependencyList, useEffect, useMemo } from "react";
import type { CallError } from "./errors.ts";
import type { ObjectOf, QueryMap } from "./objectTypes.ts";
import { PagedQuery, type PageOptions } from "./pagedQuery.ts";
import { useStore } from "./store.ts";
import { useLatest } from "./useLatest.ts";
import { useMoralisContext } from "./useMoralis.ts";

/** How pages are cut, and whether the first comes by itself. */
export interface InfiniteQueryOptions extends PageOptions {
  /** Fetches the first page by itself; true by default. */
  autoFetch?: boolean | undefined;
}

/** What has been found so far, and the ways to more. */
export interface InfiniteQueryResult<T extends ParseObject<object>> {
  /** All pages together; each object once. */
  data: readonly T[];
  pages: readonly (readonly T[])[];
  error: CallError | null;
  /** While there is nothing to show yet. */
  isLoading: boolean;
  isFetching: boolean;
  isFetchingNextPage: boolean;
  hasNextPage: boolean;
  /** Does nothing while a page is under way or where there is none left. */
  fetchNextPage(): Promise<void>;
  /** Begins again with the first page. */
  refetch(): Promise<void>;
}

/** The objects that a query finds, page by page. Begins again when the class, `deps` or the paging change. */
export function useInfiniteMoralisQuery<E extends object = Attributes>(
  nameOrObject: string | ParseObject<object>,
  queryMap?: QueryMap<ObjectOf<E>>,
  deps?: DependencyList,
  options?: InfiniteQueryOptions,
): InfiniteQueryResult<ObjectOf<E>>;
export function useInfiniteMoralisQuery(
  nameOrObject: string | ParseObject<object>,
  queryMap: QueryMap = (query) => query,
  deps: DependencyList = [],
  options: InfiniteQueryOptions = {},
): InfiniteQueryResult<ParseObject> {
  const { autoFetch, pageSize, cursor } = { autoFetch: true, ...options };
  const { Moralis, isInitialized } = useMoralisContext();
  const className = typeof nameOrObject === "string" ? nameOrObject : nameOrObject.className;
  const map = useLatest(queryMap);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map counts by the given dependencies.
  const paged = useMemo(() => {
    const makeQuery = () => map.current(new Moralis.Query(className));
    const by = cursor && { field: cursor.field, descending: cursor.descending ?? false };
    return new PagedQuery(makeQuery, Moralis, { pageSize, cursor: by });
  }, [Moralis, className, pageSize, cursor?.field, cursor?.descending, ...deps]);
  const state = useStore(paged.store);
  useEffect(() => {
    if (!isInitialized) return;
    if (autoFetch) void paged.refetch();
    return () => paged.stop();
  }, [paged, isInitialized, autoFetch]);
  const { pages, data, error, isFetching, isFetchingNextPage, hasNextPage } = state;
  const isLoading = data.length === 0 && (isFetching || (autoFetch === true && hasNextPage && !error));
  const { fetchNextPage, refetch } = paged;
  return {
    data,
    pages,
    error,
    isLoading,
    isFetching,
    isFetchingNextPage,
    hasNextPage,
    fetchNextPage,
    refetch,
  };
}
