import type { QueryResult } from "../../design/QueryState.tsx";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { RpcClient } from "./rpcClient.ts";

/** What a node answers; undefined where this page has none. `key` names what it is asked for. */
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
