export interface ChainStatus {
  /** EIP-155. */
  chain: number;
  name: string;
  scope: "chain" | "wallets";
  /**
   * syncing: indexing older blocks; following: at the head; stalled: at the head, but the latest block is too old:
   * the chain or its nodes stand still; unreachable: no node responds, or the database of the index does not; refused:
   * the node belongs to another chain or returned invalid data; stopped: the indexer failed too often and is not
   * restarted.
   */
  state: "syncing" | "following" | "stalled" | "unreachable" | "refused" | "stopped";
  /** First block to index. */
  start: number;
  /** Latest block of the node; null before its first response. */
  head: number | null;
  /** Latest safe block; null if the node does not support the tag. */
  safe: number | null;
  /**
   * Latest final block, by the node's tag or else by the confirmations of a well-known chain; null if neither is
   * known.
   */
  finalized: number | null;
  /** Latest indexed block; null for an empty index. */
  indexed: number | null;
  /** Indexing lag: head minus indexed, in blocks. */
  lag: number | null;
  /** Indexed share of the chain, 0 to 100; null until the head is known. */
  percent: number | null;
  /** Average of the last ten seconds. */
  blocksPerSecond: number;
  /** Estimated time to reach the head, in s; null if unknown. */
  etaSeconds: number | null;
  nodes: NodeHealth[];
  /**
   * First block whose transactions, logs, transfers and sales are kept; absent if none have been removed. Balances and
   * owners include those of all blocks.
   */
  keptFrom?: number;
  /** Transactions that no node could trace since the start: the index lacks the coins that contracts sent in them. */
  untraced?: number;
  /**
   * Fencing number of the lease with which this process indexes the chain; absent if another process does, or if
   * there is no lease.
   */
  term?: number;
  /** How far the index is that is being built and will take the place of this one; absent if there is none. */
  rebuild?: IndexRebuildStatus;
  /** The database of the index cannot be reached. */
  isDatabaseUnavailable?: true;
  error?: string;
}

/** An index that is built beside the one that is read; see the fields of the same names in ChainStatus. */
export interface IndexRebuildStatus {
  indexed: number | null;
  /** Blocks that are indexed, with those that several processes have indexed in advance. */
  blocks: number;
  /** Blocks that are not indexed; null until the head is known. */
  missing: number | null;
  percent: number | null;
  blocksPerSecond: number;
  etaSeconds: number | null;
  error?: string;
}

/** State of one RPC node. */
export interface NodeHealth {
  /** Host and port only; the rest of a URL may contain an API key. */
  host: string;
  /**
   * behind: it lacks blocks that another node has; failing: it does not respond properly; refused: it belongs to another
   * chain or returned invalid data.
   */
  state: "unused" | "well" | "behind" | "failing" | "refused";
  /** Its latest block when the nodes were last compared; only if there are several. */
  head?: number;
  /** Latency of the last response. */
  latencyMs?: number;
  error?: string;
}

/** Whether the index has all blocks of the node. */
export function isFollowing({ state }: Pick<ChainStatus, "state">): boolean {
  return state === "following" || state === "stalled";
}
