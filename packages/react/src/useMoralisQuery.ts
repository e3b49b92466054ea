import type { Attributes, ParseObject, Query } from "@purse/client";
import { type DependencyList, useEffect, useMemo } from "react";
import { type CallError, errorOf, ReactMoralisError } from "./errors.ts";
import { type Merges, mergeInto, openSubscription } from "./liveQuery.ts";
import type { ObjectOf, QueryMap } from "./objectTypes.ts";
import { useStore } from "./store.ts";
import { type AsyncCallOptions, useAsyncCall, withoutSetData } from "./useAsyncCall.ts";
import { useLatest } from "./useLatest.ts";
import { useMoralisContext, useUserId } from "./useMoralis.ts";

/** When a query runs, and whether its result is live. */
export interface QueryOptions<T extends ParseObject<object> = ParseObject>
  extends AsyncCallOptions,
    Merges<T> {
  /** Follows the result as it changes on the server. */
  live?: boolean;
}

/** A query of a class, built anew when `deps` change or the client has started. */
export function useQuery<T extends ParseObject<object>>(
  nameOrObject: string | ParseObject<object>,
  queryMap: QueryMap<T> = (query) => query,
  deps: DependencyList = [],
): Query<T> {
  const { Moralis, isInitialized } = useMoralisContext();
  const className = typeof nameOrObject === "string" ? nameOrObject : nameOrObject.className;
  // biome-ignore lint/correctness/useExhaustiveDependencies: as the old hook, by the given dependencies.
  return useMemo(() => queryMap(new Moralis.Query<T>(className)), [isInitialized, ...deps]);
}

const NO_RESULTS: never[] = [];

/**
 * The objects that a query finds; with `live` they follow the server, for whoever is signed in. Changing the class alone asks nothing:
 * name it in `deps`.
 */
export function useMoralisQuery<E extends object = Attributes>(
  nameOrObject: string | ParseObject<object>,
  queryMap?: QueryMap<ObjectOf<E>>,
  deps?: DependencyList,
  options: QueryOptions<ObjectOf<E>> = {},
) {
  const { autoFetch, live } = { autoFetch: true, live: false, ...options };
  const { isInitialized } = useMoralisContext();
  const query = useQuery<ObjectOf<E>>(nameOrObject, queryMap, deps);
  const call = useAsyncCall<ObjectOf<E>[], object>(
    (_params, { signal }) => query.find(signal && { signal }),
    { query: query.toJSON() },
    NO_RESULTS,
    { autoFetch },
    query,
  );
  const userId = useUserId();
  const merges = useLatest<Merges<ObjectOf<E>>>(options);
  const { setData, fetch } = call;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is told depends on who asks.
  useEffect(() => {
    if (!live || !isInitialized) return;
    return openSubscription(
      query,
      (subscription) =>
        mergeInto(
          subscription,
          // A counted result is no list, and stays as it was found.
          (change) => setData((all) => (Array.isArray(all) ? change(all) : all)),
          () => merges.current,
          () => void fetch(),
        ),
      (error) => console.warn("The live query was refused", error),
    );
  }, [query, live, isInitialized, userId, setData, fetch, merges]);
  return withoutSetData(call);
}

/** What is done with what a live query tells. */
export interface SubscriptionOptions<T extends ParseObject<object> = ParseObject> {
  enabled?: boolean;
  onCreate?: (entity: T, meta?: unknown) => void;
  onUpdate?: (entity: T, original?: unknown, meta?: unknown) => void;
  onEnter?: (entity: T, original?: unknown, meta?: unknown) => void;
  onLeave?: (entity: T, original?: unknown, meta?: unknown) => void;
  onDelete?: (entity: T, meta?: unknown) => void;
  /** Also where the server refuses the subscription. */
  onError?: (error: CallError) => void;
  /** The server sends changes from now on; again after each lost connection. */
  onOpen?: () => void;
  /** The connection is lost; it is opened again by itself. Not called where the subscription ends with its component. */
  onClose?: () => void;
  /** Changes were missed while the connection was lost: read again. */
  onRefetch?: () => void;
}

/** Tells of what happens to a query's objects. */
export function useMoralisSubscription<E extends object = Attributes>(
  nameOrObject: string | ParseObject<object>,
  queryMap?: QueryMap<ObjectOf<E>>,
  deps?: DependencyList,
  options: SubscriptionOptions<ObjectOf<E>> = {},
): void {
  const { isInitialized } = useMoralisContext();
  const query = useQuery<ObjectOf<E>>(nameOrObject, queryMap, deps);
  const handlers = useLatest(options);
  const userId = useUserId();
  const isEnabled = isInitialized && (options.enabled ?? true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is told depends on who asks.
  useEffect(() => {
    if (!isEnabled) return;
    let isClosed = false;
    const close = openSubscription(
      query,
      (subscription) => {
        subscription.on("open", () => handlers.current.onOpen?.());
        subscription.on("close", () => isClosed || handlers.current.onClose?.());
        subscription.on("refetch", () => handlers.current.onRefetch?.());
        subscription.on("create", (...event) => handlers.current.onCreate?.(...event));
        subscription.on("update", (...event) => handlers.current.onUpdate?.(...event));
        subscription.on("enter", (...event) => handlers.current.onEnter?.(...event));
        subscription.on("leave", (...event) => handlers.current.onLeave?.(...event));
        subscription.on("delete", (...event) => handlers.current.onDelete?.(...event));
        subscription.on("error", (error) => handlers.current.onError?.(errorOf(error)));
      },
      (error) => {
        if (handlers.current.onError) handlers.current.onError(errorOf(error));
        else console.warn("The live query was refused", error);
      },
    );
    return () => {
      isClosed = true;
      close();
    };
  }, [query, isEnabled, userId, handlers]);
}

/** What has been found, and the way to ask anew. */
export interface SuspenseQueryResult<T extends ParseObject<object>> {
  data: T[];
  /** While `fetch` asks anew; what was found before stays. */
  isFetching: boolean;
  /** Answers undefined where it failed; the next rendering then throws. */
  fetch(): Promise<T[] | undefined>;
}

/**
 * The objects that a query finds, for below a Suspense boundary: it waits where they are not there yet. A server
 * renders the boundary's fallback, and the browser goes on from there.
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
  // A server would wait for ever: nothing is mounted there that starts the client. React leaves errors to the browser.
  if (typeof window === "undefined") throw new ReactMoralisError("Queries are asked in browsers only");
  // What React waits for is thrown: the way that every version with Suspense knows.
  if (!isInitialized) throw settled();
  const cached = queries.get(query, userId);
  const { data, error, isFetching, isSettled } = useStore(cached.call.store);
  useEffect(() => cached.retain(), [cached]);
  if (!isSettled) throw cached.ready;
  if (error) throw error;
  return { data, isFetching, fetch: cached.refetch };
}
