import type { ChainService } from "@purse/chain";

/** What `/health` shows of the indexer to everybody; undefined where no chain is indexed. */
export function indexerHealth(
  indexer: ChainService["indexer"],
): { state: string; restarts: number } | undefined {
  const health = indexer();
  return health && { state: health.state, restarts: health.restarts };
}
