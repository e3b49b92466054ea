import type { ChainEventReader, ChainStatus, TokenReference } from "@purse/chain";

/** Reads token balances from the chain indexes. */
export interface BalanceReader {
  /** Total balance of the owners; undefined if it is not known. */
  getBalance(chainId: number, token: TokenReference, owners: readonly string[]): Promise<bigint | undefined>;
  eventReader(chainId: number): ChainEventReader;
  /** Subscribes to chain status changes; returns a function that unsubscribes. */
  onStatus(listener: (status: ChainStatus) => void): () => void;
}
