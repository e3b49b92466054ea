import type { Attributes, ParseObject, Query } from "@purse/client";
import { type DependencyList, useEffect, useMemo, useState } from "react";
import { type CallError, errorOf, ReactMoralisError } from "./errors.ts";
import { LiveReads, type Merges, mergeInto, openSubscription } from "./liveQuery.ts";
import type { ObjectOf, QueryMap } from "./objectTypes.ts";
import { useStore } from "./store.ts";
import { type AsyncCallOptions, useAsyncCall, withoutSetData } from "./useAsyncCall.ts";
import { useLatest } from "./useLatest.ts";
import { useMoralisContext, useUserId } from "./useMoralis.ts";

/** Options of a query. */
export interface QueryOptions<T extends ParseObject<object> = ParseObject>
  extends AsyncCallOptions,
    Merges<T> {
  /** Updates the result by live queries. */
  live?: boolean;
}

/** A query of a class, rebuilt when `deps` change or the client has started. */
export function useQuery<T extends ParseObject<object>>(
  nameOrObject: string | ParseObject<object>,
  queryMap: QueryMap<T> = (query) => query,
  deps: DependencyList = [],
): Query<T> {
  const { Moralis, isInitialized } = useMoralisContext();
  const className = typeof nameOrObject === "string" ? nameOrObject : nameOrObject.className;
  // biome-ignore lint/correctness/useExhaustiveDependencies: as in react-moralis, by the given dependencies.
  return useMemo(() => queryMap(new Moralis.Query<T>(className)), [isInitialized, ...deps]);
}

const NO_RESULTS: never[] = [];

/**
 * The objects that a query finds; with `live` they are updated by a live query of the signed-in user. A change of the class alone does not refetch:
 * add it to `deps`.
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
  const [reads] = useState(() => new LiveReads<ObjectOf<E>>());
  const call = useAsyncCall<ObjectOf<E>[], object>(
    (_params, { signal }) => reads.read(query, signal),
    { query: query.toJSON() },
    NO_RESULTS,
    { autoFetch },
    query,
  );
  const userId = useUserId();
  const merges = useLatest<Merges<ObjectOf<E>>>(options);
  const { setData, fetch } = call;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the events depend on the user.
  useEffect(() => {
    if (!live || !isInitialized) return;
    return openSubscription(
      query,
      (subscription) =>
        mergeInto(
          subscription,
          // A counted result is not a list, and is not updated.
          (change) => setData((all) => (Array.isArray(all) ? change(all) : all)),
          () => merges.current,
          reads,
          () => void (reads.restart() || fetch()),
        ),
      (error) => console.warn("The live query was refused", error),
    );
  }, [query, live, isInitialized, userId, setData, fetch, merges, reads]);
  return withoutSetData(call);
}

/** Handlers of live query events. */
export interface SubscriptionOptions<T extends ParseObject<object> = ParseObject> {
  enabled?: boolean;
  onCreate?: (entity: T, meta?: unknown) => void;
  onUpdate?: (entity: T, original?: unknown, meta?: unknown) => void;
  onEnter?: (entity: T, original?: unknown, meta?: unknown) => void;
  onLeave?: (entity: T, original?: unknown, meta?: unknown) => void;
  onDelete?: (entity: T, meta?: unknown) => void;
  /** Also called if the server refuses the subscription. */
  onError?: (error: CallError) => void;
  /** The server sends changes from now on; called again after each reconnection. */
  onOpen?: () => void;
  /** The connection is lost; it reconnects by itself. Not called when the component unmounts. */
  onClose?: () => void;
  /** Changes were missed while the connection was lost: fetch again. */
  onRefetch?: () => void;
}

/** Subscribes to the changes of a query's objects. */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: the events depend on the user.
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
