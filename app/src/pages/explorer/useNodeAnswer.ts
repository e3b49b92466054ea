import { useEffect, useState } from "react";
import type { PageNode } from "./node.ts";

export type NodeAnswer<R> =
  | { state: "none" }
  | { state: "waiting" }
  | { state: "refused" }
  | { state: "there"; answer: R };

/**
 * What a node tells, where this page has one; nodes need not answer everything. `ask` is called anew when it changes: hold it
 * by useCallback.
 */
export function useNodeAnswer<R>(
  node: PageNode | undefined,
  ask: (node: PageNode) => Promise<R>,
): NodeAnswer<R> {
  const [answer, setAnswer] = useState<NodeAnswer<R>>({ state: "waiting" });
  useEffect(() => {
    if (!node) return undefined;
    let isOver = false;
    ask(node).then(
      (answer) => !isOver && setAnswer({ state: "there", answer }),
      () => !isOver && setAnswer({ state: "refused" }),
    );
    return () => {
      isOver = true;
    };
  }, [node, ask]);
  return node ? answer : { state: "none" };
}
