import type { QueryResult } from "@purse/ui";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { RpcClient } from "./rpcClient.ts";

/** Queries a node; returns undefined if there is none. `key` identifies the request. */
export function useNodeQuery<R>(
  client: RpcClient | undefined,
  key: readonly unknown[],
  request: (client: RpcClient) => Promise<R>,
): QueryResult<R> | undefined {
  const query = useServerQuery({
    queryKey: client && ["node", client.id, ...key],
    queryFn: () => (client ? request(client) : Promise.reject(new Error("No node available"))),
  });
  return client && query;
}
