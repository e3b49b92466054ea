export interface ChainStatus {
  /** EIP-155. */
  chain: number;
  name: string;
  scope: "chain" | "wallets";
  /**
   * syncing: catching up; following: at the head; unreachable: no node answers;
   * refused: the node is of another chain, or tells things that cannot be; stopped: the indexer has ended too often and
   * is not restarted.
   */
  state: "syncing" | "following" | "unreachable" | "refused" | "stopped";
  /** The first block that is wanted. */
  start: number;
  /** The node's newest block; null until it has answered. */
  head: number | null;
  /** The newest block that the network holds for safe, and for final; null where the node does not tell. */
  safe: number | null;
  finalized: number | null;
  /** The newest block in the index; null before the first. */
  indexed: number | null;
  /** Blocks between the two. */
  lag: number | null;
  /** How much of the chain is indexed, 0 to 100; null until the head is known. */
  percent: number | null;
  /** Of the last ten seconds. */
  blocksPerSecond: number;
  /** Until the head is reached at this speed, in s; null where that cannot be told. */
  etaSeconds: number | null;
  nodes: NodeHealth[];
  /** The number of the term in which this process follows the chain; absent where another does, or none else could. */
  term?: number;
  error?: string;
}

/** How one of a chain's nodes fares. */
export interface NodeHealth {
  /** Host and port only: the rest of a URL often is a key. */
  host: string;
  state: "unused" | "well" | "failing";
  /** Of the last answer. */
  latencyMs?: number;
  error?: string;
}
