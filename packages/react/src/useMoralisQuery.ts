import { type Attributes, type ParseObject, queryOrder } from "@purse/client";
import { type DependencyList, useEffect, useState } from "react";
import { LiveReads, type Merges, mergeInto, openSubscription } from "./liveQueryUpdates.ts";
import type { ObjectOf, QueryMap } from "./objectTypes.ts";
import { type AsyncCallOptions, useAsyncCall, withoutSetData } from "./useAsyncCall.ts";
import { useLatest } from "./useLatest.ts";
import { useMoralisContext, useUserId } from "./useMoralis.ts";
import { useQuery } from "./useQuery.ts";

/** Options of a query. */
export interface QueryOptions<T extends ParseObject<object> = ParseObject>
  extends AsyncCallOptions,
    Merges<T> {
  /** Updates the result by live queries. */
  live?: boolean;
}

const NO_RESULTS: never[] = [];

/**
 * The objects that a query finds; with `live` they are updated by a live query of the signed-in user, in the order and
 * within the limit of the query. A change of the class alone does not refetch: add it to `deps`.
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
      queryOrder(query).then(
        (order) => (subscription) =>
          mergeInto(
            order,
            subscription,
            // A counted result is not a list, and is not updated.
            (change) => setData((all) => (Array.isArray(all) ? change(all) : all)),
            () => merges.current,
            reads,
            fetch,
          ),
      ),
      (error) => console.warn("The live query was refused", error),
    );
  }, [query, live, isInitialized, userId, setData, fetch, merges, reads]);
  return withoutSetData(call);
}
