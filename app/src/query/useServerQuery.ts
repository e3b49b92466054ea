import { useQueries, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { QueryResult } from "../design/QueryState.tsx";
import { againAfter, createQueryClient, lastFailure } from "./queryClient.ts";
import { withDeadline } from "./withDeadline.ts";

/** The reads of the app. The studio, whose reads end with its session, has a client of its own. */
export const queries = createQueryClient();

/** How long a read may take unless it says otherwise, in ms. */
const READ_MS = 20_000;

export interface ServerQueryOptions<T> {
  /** What the answer depends on, beginning with a name; JSON. Without a key nothing is read. */
  key: readonly unknown[] | undefined;
  read: (options: { signal: AbortSignal }) => Promise<T>;
  /** Reads again so often, in ms. */
  every?: number | undefined;
  /** Until when the answer to the key before stays: until there is one to this, or also where this read fails. */
  keepPrevious?: "loading" | "always";
  /** The longest that a read may take, in ms. */
  timeoutMs?: number;
  /** Forgets the answer with the page that shows it: for what people act on at once, as a balance or a simulation. */
  isFresh?: boolean;
  /** Of objects that change in place: an answer with the same objects is a new one. */
  isMutable?: boolean;
}

/**
 * Reads from the server or a node, and keeps the answer for whoever asks the same. A read that takes too long has
 * failed. To be used below StartGate: the client has started by then.
 */
export function useServerQuery<T>(options: ServerQueryOptions<T>): QueryResult<T> {
  const found = useQuery<T>(queryOptions(options), queries);
  const result = resultOf(found, options.key);
  const last = useRef(result);
  if (result.data !== undefined || options.key === undefined) last.current = result;
  const isKept =
    options.keepPrevious === "always" || (options.keepPrevious === "loading" && result.error === null);
  const { data, dataUpdatedAt } = isKept ? last.current : result;
  return { ...result, data, dataUpdatedAt };
}

/** Several reads side by side; one that fails takes nothing from the others. */
export function useServerQueries<T>(all: readonly ServerQueryOptions<T>[]): QueryResult<T>[] {
  const found = useQueries({ queries: all.map(queryOptions) }, queries);
  return found.map((each, i) => resultOf(each, all[i]?.key));
}

function queryOptions<T>({
  key,
  read,
  every,
  timeoutMs = READ_MS,
  isFresh,
  isMutable,
}: ServerQueryOptions<T>) {
  return {
    queryKey: key ?? NOTHING,
    queryFn: ({ signal }: { signal: AbortSignal }) => withDeadline(read, signal, timeoutMs),
    enabled: key !== undefined,
    refetchInterval: (query: Parameters<typeof againAfter>[0]) => againAfter(query, every ?? false),
    structuralSharing: !isMutable,
    ...(isFresh && { gcTime: 0 }),
  };
}

const NOTHING: readonly unknown[] = ["nothing"];

function resultOf<T>(
  { data, error, isFetching, dataUpdatedAt, refetch }: QueryResult<T>,
  key: readonly unknown[] | undefined,
): QueryResult<T> {
  const failure = key === undefined ? null : (error ?? (isFetching ? lastFailure(key) : null) ?? null);
  return { data, error: failure, isFetching, dataUpdatedAt, refetch: () => void refetch() };
}
