import type { ChainService } from "@purse/chain";

/** The public health of the chain indexer at `/health`; undefined if no chain is indexed. */
export function indexerHealth(
  indexer: ChainService["indexer"],
): { state: string; restarts: number } | undefined {
  const health = indexer();
  return health && { state: health.state, restarts: health.restarts };
}
