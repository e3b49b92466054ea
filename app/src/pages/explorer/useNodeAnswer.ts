import type { QueryResult } from "../../design/QueryState.tsx";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { PageNode } from "./node.ts";

/** What a node answers; undefined where this page has none. `key` names what it is asked for. */
export function useNodeAnswer<R>(
  node: PageNode | undefined,
  key: readonly unknown[],
  ask: (node: PageNode) => Promise<R>,
): QueryResult<R> | undefined {
  const answer = useServerQuery({
    key: node && ["node", node.id, ...key],
    read: () => (node ? ask(node) : Promise.reject(new Error("There is no node"))),
  });
  return node && answer;
}
