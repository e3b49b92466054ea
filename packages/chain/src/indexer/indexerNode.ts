import type { ChainConfig } from "../model/chainConfig.ts";
import { ChainNode } from "../node/chainNode.ts";

/** Polls between two comparisons of the nodes. */
const POLLS_PER_COMPARISON = 10;

/** Creates the client of the nodes from which a chain is indexed. */
export function createIndexerNode({ id, rpcUrls }: ChainConfig, pollMs: number): ChainNode {
  return new ChainNode(id, rpcUrls, { compareMs: pollMs * POLLS_PER_COMPARISON });
}
