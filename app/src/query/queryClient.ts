import {
  hashKey,
  QueryCache,
  QueryClient,
  type QueryClientConfig,
  type QueryKey,
} from "@tanstack/react-query";
import { isConnectionError, isTransientError } from "./errors.ts";
import { reachability } from "./reachability.ts";

/** How often a read that has failed for the moment is tried again, in ms. */
const RETRY_MS = 15_000;

/**
 * The errors of reads that have failed and not succeeded since, by the hash of their keys. While such a read without data
 * is tried again, TanStack Query takes it for one that nobody has tried yet; pages go on showing the error.
 */
const failures = new Map<string, unknown>();

/** Why the last read of a key has failed; undefined where it did not. */
export function lastErrorOf(queryKey: QueryKey): unknown {
  return failures.get(hashKey(queryKey));
}

/** The reads of a page: what has failed for the moment is read again by itself, at the latest when the server is back. */
export function createQueryClient(
  queryOptions: NonNullable<QueryClientConfig["defaultOptions"]>["queries"] = {},
): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError(error, { queryHash }) {
        failures.set(queryHash, error);
        if (isConnectionError(error)) reachability.reportFailure();
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
        refetchInterval: (query) => refetchIntervalOf(query),
        ...queryOptions,
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
export function refetchIntervalOf(
  { queryHash, state }: { queryHash: string; state: { error: unknown } },
  intervalMs: number | false = false,
): number | false {
  if (!isTransientError(state.error ?? failures.get(queryHash))) return intervalMs;
  return intervalMs === false ? RETRY_MS : Math.min(intervalMs, RETRY_MS);
}
