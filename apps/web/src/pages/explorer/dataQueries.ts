import { type Erc20Metadata, Web3API } from "@purse/client";
import type { QueryResult } from "@purse/ui";
import { useEffect, useRef } from "react";
import { type ServerQueryOptions, useServerQuery } from "../../query/useServerQuery.ts";
import { useExplorer } from "./ExplorerContext.ts";

interface Options {
  signal?: AbortSignal;
}

type Operation<P, R> = (params: P, options?: Options) => Promise<R>;

const ids = new WeakMap<object, number>();
let count = 0;

/** A unique ID per function, because functions cannot be part of query keys. */
function functionId(operation: object): number {
  const id = ids.get(operation) ?? ++count;
  ids.set(operation, id);
  return id;
}

type DataQueryOptions = Pick<ServerQueryOptions<unknown>, "refetchIntervalMs" | "keepPrevious" | "timeoutMs">;

/** Queries the data API. The query is paused while `isEnabled` is false. */
export function useDataQuery<P extends object, R>(
  operation: Operation<P, R>,
  params: P,
  isEnabled = true,
  options: DataQueryOptions = {},
): QueryResult<R> {
  return useServerQuery({
    queryKey: isEnabled ? ["data API", functionId(operation), params] : undefined,
    queryFn: (queryOptions) => operation(params, queryOptions),
    keepPrevious: "loading",
    ...options,
  });
}

/** The refetch interval of live queries without a new block, in ms: a reorganization may keep the height. */
const REFETCH_INTERVAL_MS = 12_000;

/** The same query, refetched with each new block and at intervals while `isEnabled` and the page is visible. */
export function useLiveDataQuery<P extends object, R>(
  operation: Operation<P, R>,
  params: P,
  isEnabled = true,
) {
  const { head } = useExplorer();
  const query = useDataQuery(
    operation,
    params,
    true,
    isEnabled ? { refetchIntervalMs: REFETCH_INTERVAL_MS } : {},
  );
  const latest = useRef(head);
  useEffect(() => {
    const previous = latest.current;
    latest.current = head;
    if (isEnabled && previous !== undefined && previous !== head) query.refetch();
  });
  return query;
}

/** Metadata of tokens. */
export interface Tokens {
  /** Tokens without metadata are missing. */
  known: ReadonlyMap<string, Erc20Metadata>;
  /** The decimals of a token; undefined while loading, because amounts are meaningless without them. */
  decimalsOf(address: string): number | undefined;
  query: QueryResult<Erc20Metadata[]>;
}

/** Queries the metadata of at most 100 tokens. */
export function useTokens(addresses: readonly string[]): Tokens {
  const { chain } = useExplorer();
  const requested = [...new Set(addresses)].sort().slice(0, 100);
  const query = useDataQuery(
    Web3API.token.getTokenMetadata,
    { chain: chain.hexId, addresses: requested },
    requested.length > 0,
  );
  const known = new Map(
    (query.data ?? [])
      .filter(({ symbol, name, decimals }) => symbol !== "" || name !== "" || decimals !== null)
      .map((token) => [token.address, token]),
  );
  return {
    known,
    decimalsOf: (address) => (query.data ? Number(known.get(address)?.decimals ?? 0) : undefined),
    query,
  };
}
