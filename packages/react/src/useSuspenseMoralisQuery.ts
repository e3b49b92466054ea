import type { Attributes, ParseObject } from "@purse/client";
import { type DependencyList, useEffect } from "react";
import { ReactMoralisError } from "./errors.ts";
import type { ObjectOf, QueryMap } from "./objectTypes.ts";
import { useStore } from "./observableStore.ts";
import { useMoralisContext, useUserId } from "./useMoralis.ts";
import { useQuery } from "./useQuery.ts";

/** The found objects, and a function to refetch them. */
export interface SuspenseQueryResult<T extends ParseObject<object>> {
  data: T[];
  /** Whether `fetch` is running; the previous objects are kept. */
  isFetching: boolean;
  /** Resolves with undefined if it failed; the next rendering then throws. */
  fetch(): Promise<T[] | undefined>;
}

/**
 * The objects that a query finds, below a Suspense boundary: suspends until they are loaded. On a server
 * the boundary's fallback is rendered, and the browser continues from there.
 */
export function useSuspenseMoralisQuery<E extends object = Attributes>(
  nameOrObject: string | ParseObject<object>,
  queryMap?: QueryMap<ObjectOf<E>>,
  deps?: DependencyList,
): SuspenseQueryResult<ObjectOf<E>>;
export function useSuspenseMoralisQuery(
  nameOrObject: string | ParseObject<object>,
  queryMap?: QueryMap,
  deps?: DependencyList,
): SuspenseQueryResult<ParseObject> {
  const { isInitialized, initializeError, whenReady: settled, queries } = useMoralisContext();
  const userId = useUserId();
  const query = useQuery(nameOrObject, queryMap, deps);
  if (initializeError) throw initializeError;
  // A server would suspend forever, because effects do not run there. React leaves the error to the browser.
  if (typeof window === "undefined") throw new ReactMoralisError("Queries run only in browsers");
  // Promises are thrown, which every version of React with Suspense supports.
  if (!isInitialized) throw settled();
  const cached = queries.get(query, userId);
  const { data, error, isFetching, isSettled } = useStore(cached.call.store);
  useEffect(() => cached.retain(), [cached]);
  if (!isSettled) throw cached.ready;
  if (error) throw error;
  return { data, isFetching, fetch: cached.refetch };
}
