import type { ChainConfig } from "../model/chainConfig.ts";
import type { ChainStatus } from "../model/chainStatus.ts";

/** The status of a chain before its indexer has reported one. */
export function initialStatus({ id, name, scope = "chain", startBlock = 0 }: ChainConfig): ChainStatus {
  return {
    chain: id,
    name,
    scope,
    state: "syncing",
    start: startBlock,
    head: null,
    safe: null,
    finalized: null,
    indexed: null,
    lag: null,
    percent: null,
    blocksPerSecond: 0,
    etaSeconds: null,
    nodes: [],
  };
}
