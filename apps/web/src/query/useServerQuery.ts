import { createQueryClient, lastErrorOf, type QueryResult, refetchIntervalOf, withTimeout } from "@purse/ui";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useRef } from "react";

/** The query client of the app. The studio has its own, which is cleared with its session. */
export const queryClient = createQueryClient();

/** The default timeout of a request, in ms. */
const TIMEOUT_MS = 20_000;

export interface ServerQueryOptions<T> {
  /** A JSON key that starts with a name. Undefined disables the query. */
  queryKey: readonly unknown[] | undefined;
  queryFn: (options: { signal: AbortSignal }) => Promise<T>;
  /** The refetch interval in ms. */
  refetchIntervalMs?: number | undefined;
  /** Keeps the data of the previous key while loading, or even if the request fails. */
  keepPrevious?: "loading" | "always";
  /** The timeout of the request, in ms. */
  timeoutMs?: number;
  /** Drops the data on unmount: for data that users act on, such as balances and simulations. */
  isUncached?: boolean;
  /** For objects that are mutated in place, which structural sharing would not detect. */
  isMutable?: boolean;
}

/**
 * Queries the server or a node and caches the result by its key. Requests that time out fail. Requires a started
 * client, so use it below RequireClient.
 */
export function useServerQuery<T>(options: ServerQueryOptions<T>): QueryResult<T> {
  const query = useQuery<T>(queryOptions(options), queryClient);
  const result = resultOf(query, options.queryKey);
  const last = useRef(result);
  if (result.data !== undefined || options.queryKey === undefined) last.current = result;
  const keepsPrevious =
    options.keepPrevious === "always" || (options.keepPrevious === "loading" && result.error === null);
  const { data, dataUpdatedAt } = keepsPrevious ? last.current : result;
  return { ...result, data, dataUpdatedAt };
}

/** Runs several queries in parallel; a failed one does not affect the others. */
export function useServerQueries<T>(all: readonly ServerQueryOptions<T>[]): QueryResult<T>[] {
  const query = useQueries({ queries: all.map(queryOptions) }, queryClient);
  return query.map((each, i) => resultOf(each, all[i]?.queryKey));
}

function queryOptions<T>({
  queryKey,
  queryFn,
  refetchIntervalMs,
  timeoutMs = TIMEOUT_MS,
  isUncached,
  isMutable,
}: ServerQueryOptions<T>) {
  return {
    queryKey: queryKey ?? NO_KEY,
    queryFn: ({ signal }: { signal: AbortSignal }) => withTimeout(queryFn, signal, timeoutMs),
    enabled: queryKey !== undefined,
    refetchInterval: (query: Parameters<typeof refetchIntervalOf>[0]) =>
      refetchIntervalOf(query, refetchIntervalMs ?? false),
    structuralSharing: !isMutable,
    ...(isUncached && { gcTime: 0 }),
  };
}

const NO_KEY: readonly unknown[] = ["nothing"];

function resultOf<T>(
  { data, error, isFetching, dataUpdatedAt, refetch }: QueryResult<T>,
  queryKey: readonly unknown[] | undefined,
): QueryResult<T> {
  const failure =
    queryKey === undefined ? null : (error ?? (isFetching ? lastErrorOf(queryKey) : null) ?? null);
  return { data, error: failure, isFetching, dataUpdatedAt, refetch: () => void refetch() };
}
