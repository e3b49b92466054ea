import { type ParseObject, Query, type Subscription } from "@purse/client";
import { type DependencyList, useEffect, useMemo, useRef } from "react";
import { type AsyncCallOptions, useAsyncCall } from "./useAsyncCall.ts";
import { useMoralisContext } from "./useMoralis.ts";

type Merge = (entity: ParseObject, all: ParseObject[]) => ParseObject[];

export interface QueryOptions extends AsyncCallOptions {
  /** Follows the result as it changes on the server. */
  live?: boolean;
  onLiveCreate?: Merge;
  onLiveEnter?: Merge;
  onLiveUpdate?: Merge;
  onLiveLeave?: Merge;
  onLiveDelete?: Merge;
}

const append: Merge = (entity, all) => [...all.filter((each) => each.id !== entity.id), entity];
const replace: Merge = (entity, all) => all.map((each) => (each.id === entity.id ? entity : each));
const remove: Merge = (entity, all) => all.filter((each) => each.id !== entity.id);

/** The objects that a query finds; with `live` they follow the server. Built anew when `deps` change. */
export function useMoralisQuery(
  nameOrObject: string | ParseObject,
  queryMap: (query: Query) => Query = (query) => query,
  deps: DependencyList = [],
  options: QueryOptions = {},
) {
  const { autoFetch = true, live = false } = options;
  const { isInitialized } = useMoralisContext();
  const className = typeof nameOrObject === "string" ? nameOrObject : nameOrObject.className;
  // biome-ignore lint/correctness/useExhaustiveDependencies: as the old hook, by the given dependencies.
  const query = useMemo(() => queryMap(new Query(className)), [isInitialized, ...deps]);
  const call = useAsyncCall(() => query.find(), { query: query.toJSON(), className }, NOTHING, { autoFetch });
  const merges = useRef(options);
  merges.current = options;
  const { setData, fetch } = call;

  useSubscription(query, live && isInitialized, (subscription) => {
    const merge = (by: () => Merge | undefined, fallback: Merge) => (entity: ParseObject) =>
      setData((all) => (by() ?? fallback)(entity, all));
    subscription.on(
      "create",
      merge(() => merges.current.onLiveCreate, append),
    );
    subscription.on(
      "enter",
      merge(() => merges.current.onLiveEnter, append),
    );
    subscription.on(
      "update",
      merge(() => merges.current.onLiveUpdate, replace),
    );
    subscription.on(
      "leave",
      merge(() => merges.current.onLiveLeave, remove),
    );
    subscription.on(
      "delete",
      merge(() => merges.current.onLiveDelete, remove),
    );
    let opened = false;
    subscription.on("open", () => {
      // What happened while the connection was gone is asked for.
      if (opened) void fetch();
      opened = true;
    });
  });
  const { setData: _, ...result } = call;
  return result;
}

const NOTHING: ParseObject[] = [];

export interface SubscriptionOptions {
  enabled?: boolean;
  onCreate?: (entity: ParseObject) => void;
  onUpdate?: (entity: ParseObject) => void;
  onEnter?: (entity: ParseObject) => void;
  onLeave?: (entity: ParseObject) => void;
  onDelete?: (entity: ParseObject) => void;
  onError?: (error: unknown) => void;
}

/** Tells of what happens to a query's objects. */
export function useMoralisSubscription(
  nameOrObject: string | ParseObject,
  queryMap: (query: Query) => Query = (query) => query,
  deps: DependencyList = [],
  options: SubscriptionOptions = {},
): void {
  const { isInitialized } = useMoralisContext();
  const className = typeof nameOrObject === "string" ? nameOrObject : nameOrObject.className;
  // biome-ignore lint/correctness/useExhaustiveDependencies: as the old hook, by the given dependencies.
  const query = useMemo(() => queryMap(new Query(className)), [isInitialized, ...deps]);
  const handlers = useRef(options);
  handlers.current = options;
  useSubscription(query, isInitialized && (options.enabled ?? true), (subscription) => {
    subscription.on("create", (entity) => handlers.current.onCreate?.(entity));
    subscription.on("update", (entity) => handlers.current.onUpdate?.(entity));
    subscription.on("enter", (entity) => handlers.current.onEnter?.(entity));
    subscription.on("leave", (entity) => handlers.current.onLeave?.(entity));
    subscription.on("delete", (entity) => handlers.current.onDelete?.(entity));
    subscription.on("error", (error) => handlers.current.onError?.(error));
  });
}

/** One subscription for as long as it is wanted, never left open. */
function useSubscription(query: Query, wanted: boolean, attach: (subscription: Subscription) => void): void {
  const latest = useRef(attach);
  latest.current = attach;
  useEffect(() => {
    if (!wanted) return;
    let over = false;
    let subscription: Subscription | undefined;
    query
      .subscribe()
      .then((opened) => {
        if (over) return opened.unsubscribe();
        subscription = opened;
        latest.current(opened);
      })
      .catch((error: unknown) => console.warn("The live query was refused", error));
    return () => {
      over = true;
      void subscription?.unsubscribe();
    };
  }, [query, wanted]);
}
