import {
  hashKey,
  QueryCache,
  QueryClient,
  type QueryClientConfig,
  type QueryKey,
} from "@tanstack/react-query";
import { isUnanswered, mayPass } from "./failures.ts";
import { reachability } from "./reachability.ts";

/** How often a read that has failed for the moment is tried again, in ms. */
const AGAIN_MS = 15_000;

/**
 * The errors of reads that have failed and not succeeded since, by the hash of their keys. While such a read without data
 * is tried again, TanStack Query takes it for one that nobody has tried yet; pages go on showing the error.
 */
const failures = new Map<string, unknown>();

/** Why the last read of a key has failed; undefined where it did not. */
export function lastFailure(queryKey: QueryKey): unknown {
  return failures.get(hashKey(queryKey));
}

/** The reads of a page: what has failed for the moment is read again by itself, at the latest when the server is back. */
export function createQueryClient(
  own: NonNullable<QueryClientConfig["defaultOptions"]>["queries"] = {},
): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError(error, { queryHash }) {
        failures.set(queryHash, error);
        if (isUnanswered(error)) reachability.reportFailure();
      },
      onSuccess(_, { queryHash }) {
        failures.delete(queryHash);
        reachability.reportSuccess();
      },
    }),
    defaultOptions: {
      queries: {
        // Without a network a read fails, and says so, rather than waiting for one.
        networkMode: "always",
        retry: false,
        refetchOnWindowFocus: false,
        refetchInterval: (query) => againAfter(query),
        ...own,
      },
      mutations: { networkMode: "always" },
    },
  });
  client
    .getQueryCache()
    .subscribe(({ type, query }) => type === "removed" && failures.delete(query.queryHash));
  reachability.subscribe(() => {
    if (!reachability.get()) return;
    void client.refetchQueries({ type: "active", predicate: ({ queryHash }) => failures.has(queryHash) });
  });
  return client;
}

/** When a query is read again by itself: `every` so many ms where that is given, else only where it has failed. */
export function againAfter(
  { queryHash, state }: { queryHash: string; state: { error: unknown } },
  every: number | false = false,
): number | false {
  if (!mayPass(state.error ?? failures.get(queryHash))) return every;
  return every === false ? AGAIN_MS : Math.min(every, AGAIN_MS);
}
