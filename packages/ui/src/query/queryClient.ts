import {
  hashKey,
  QueryCache,
  QueryClient,
  type QueryClientConfig,
  type QueryKey,
} from "@tanstack/react-query";
import { isConnectionError, isTransientError } from "./errors.ts";
import { reachability } from "./reachability.ts";

/** The retry interval after a transient error, in ms. */
const RETRY_MS = 15_000;

/**
 * The last errors of queries by the hash of their keys, until they succeed. While TanStack Query refetches a query
 * without data it resets its error; pages keep showing it.
 */
const failures = new Map<string, unknown>();

/** The last error of a query; undefined if it succeeded. */
export function lastErrorOf(queryKey: QueryKey): unknown {
  return failures.get(hashKey(queryKey));
}

/** Creates a query client that refetches after transient errors, at the latest when the server is reachable again. */
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
        // Without a network, requests fail immediately instead of being paused.
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

/** The refetch interval of a query: `intervalMs` if given, otherwise only after transient errors. */
export function refetchIntervalOf(
  { queryHash, state }: { queryHash: string; state: { error: unknown } },
  intervalMs: number | false = false,
): number | false {
  if (!isTransientError(state.error ?? failures.get(queryHash))) return intervalMs;
  return intervalMs === false ? RETRY_MS : Math.min(intervalMs, RETRY_MS);
}
