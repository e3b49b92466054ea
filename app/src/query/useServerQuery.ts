import { useQueries, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { QueryResult } from "../design/QueryState.tsx";
import { createQueryClient, lastErrorOf, refetchIntervalOf } from "./queryClient.ts";
import { withTimeout } from "./withTimeout.ts";

/** The reads of the app. The studio, whose reads end with its session, has a client of its own. */
export const queryClient = createQueryClient();

/** How long a read may take unless it says otherwise, in ms. */
const TIMEOUT_MS = 20_000;

export interface ServerQueryOptions<T> {
  /** What the answer depends on, beginning with a name; JSON. Without a key nothing is read. */
  queryKey: readonly unknown[] | undefined;
  queryFn: (options: { signal: AbortSignal }) => Promise<T>;
  /** Reads again so often, in ms. */
  refetchIntervalMs?: number | undefined;
  /** Until when the answer to the key before stays: until there is one to this, or also where this read fails. */
  keepPrevious?: "loading" | "always";
  /** The longest that a read may take, in ms. */
  timeoutMs?: number;
  /** Forgets the answer with the page that shows it: for what people act on at once, as a balance or a simulation. */
  isUncached?: boolean;
  /** Of objects that change in place: an answer with the same objects is a new one. */
  isMutable?: boolean;
}

/**
 * Reads from the server or a node, and keeps the answer for whoever asks the same. A read that takes too long has
 * failed. To be used below RequireClient: the client has started by then.
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

/** Several reads side by side; one that fails takes nothing from the others. */
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
