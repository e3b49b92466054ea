import type { Attributes, ParseObject } from "@purse/client";
import { type DependencyList, useEffect, useMemo } from "react";
import type { CallError } from "./errors.ts";
import type { ObjectOf, QueryMap } from "./objectTypes.ts";
import { useStore } from "./observableStore.ts";
import { PagedQuery, type PageOptions } from "./pagedQuery.ts";
import { contentOf } from "./plainValues.ts";
import { useLatest } from "./useLatest.ts";
import { useMoralisContext } from "./useMoralis.ts";

/** Options of an infinite query. */
export interface InfiniteQueryOptions extends PageOptions {
  /** Fetches the first page automatically; true by default. */
  autoFetch?: boolean | undefined;
}

/** The loaded pages, and functions to load more. */
export interface InfiniteQueryResult<T extends ParseObject<object>> {
  /** The objects of all pages; each object once. */
  data: readonly T[];
  pages: readonly (readonly T[])[];
  error: CallError | null;
  /** Whether the first page is loading. */
  isLoading: boolean;
  isFetching: boolean;
  isFetchingNextPage: boolean;
  hasNextPage: boolean;
  /** Does nothing while a page is loading or after the last one. */
  fetchNextPage(): Promise<void>;
  /** Starts over with the first page. */
  refetch(): Promise<void>;
}

/** Paginates a query. Starts over when the class, the content of `deps` or the pagination options change. */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map is tracked by the given dependencies.
  const paged = useMemo(() => {
    const makeQuery = () => map.current(new Moralis.Query(className));
    const by = cursor && { field: cursor.field, descending: cursor.descending ?? false };
    return new PagedQuery(makeQuery, Moralis, { pageSize, cursor: by });
  }, [Moralis, className, pageSize, cursor?.field, cursor?.descending, ...deps.map(contentOf)]);
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
