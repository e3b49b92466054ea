import type { ChainFeed, ChainStatus, Holding } from "@purse/chain";

/** Reads token balances from the chain indexes. */
export interface BalanceReader {
  /** Total balance of the owners; undefined if it is not known. */
  held(chainId: number, holding: Holding, owners: string[]): Promise<bigint | undefined>;
  feed(chainId: number): ChainFeed;
  /** Subscribes to chain status changes; returns a function that unsubscribes. */
  onStatus(listener: (status: ChainStatus) => void): () => void;
}
