import type { BlockRow, BlockRows, DiscoveredToken, NftTransferRow } from "../model/rows.ts";
import type { TokenMetadataReading } from "../model/tokens.ts";
import type { Erc20Log } from "./erc20BalanceChanges.ts";

/** The index was changed by another writer. */
export class CheckpointConflictError extends Error {
  override readonly name = "CheckpointConflictError";
}

/** A wallet whose history is indexed. */
export interface WatchedWallet {
  address: string;
  /** First block from which it is indexed with all other wallets; PENDING before that. */
  since: number;
  /**
   * The next block of its history to index, below `since`, in descending order; below the start block when complete.
   */
  next: number;
}

/** Transactions and logs from which on blocks are appended as a part of a back-fill. */
const MIN_BACKFILL_ROWS = 1_000;

/** Whether so many blocks are appended at once that they are not the latest ones of the chain. */
export function isBackfill({ transactions, logs }: BlockRows): boolean {
  return transactions.length + logs.length >= MIN_BACKFILL_ROWS;
}

/** `WatchedWallet.since` of a wallet that is enqueued but not indexed yet. */
export const PENDING = -1;

/** Rows that are derived from logs. */
export type DerivedRows = Pick<BlockRows, "logs" | "nftTransfers" | "nftRanges" | "nftUpdates" | "trades"> & {
  /** All logs that count as ERC-20 transfers. */
  erc20Logs: readonly Erc20Log[];
};

/** A change of a property that still has the value `before`, or does not exist if that is undefined. */
export interface PropertyChange {
  key: string;
  before: string | undefined;
  after: string;
}

/** A change of an index whose events (transactions, logs, transfers, sales) are stored elsewhere. */
export interface EventChange {
  /** The state of that store, changed in the same transaction. */
  state: PropertyChange;
  /**
   * The receivers of the last transfers of the ERC-721 tokens that the change concerns, by token and id; of the
   * transfers that remain after it.
   */
  receivers: ReadonlyMap<string, string>;
}

/** The events that a reorganization removes, in log order. */
export interface RemovedEvents {
  nftTransfers: readonly NftTransferRow[];
  /** Logs that count as ERC-20 transfers. */
  erc20Logs: readonly Erc20Log[];
}

/**
 * Writes what follows from the events of an index, but not the events. Rejects with CheckpointConflictError if another
 * process has changed them meanwhile.
 */
export interface StateWriter {
  append(
    parent: BlockRow | undefined,
    rows: BlockRows,
    tokens: DiscoveredToken[],
    elsewhere: EventChange,
  ): Promise<void>;
  unwind(above: number, elsewhere: EventChange & RemovedEvents): Promise<void>;
  /** Changes only the state of the events. */
  changeState(state: PropertyChange): Promise<void>;
}

/** Writes the index of one chain. Each method is one transaction. */
export interface IndexWriter {
  /** Does what can be done for rows before append() is called with them, while it appends earlier ones. */
  prepare?(rows: BlockRows, tokens: DiscoveredToken[]): void;
  /**
   * Appends blocks after the checkpoint and advances it. Rejects with CheckpointConflictError if `parent` is not the
   * latest block. Existing rows are kept.
   */
  append(parent: BlockRow | undefined, rows: BlockRows, tokens: DiscoveredToken[]): Promise<void>;
  /** Adds earlier rows of watched wallets and saves how far down their history is indexed. */
  addHistory(
    rows: BlockRows,
    tokens: DiscoveredToken[],
    progress: { addresses: string[]; next: number },
  ): Promise<void>;
  /** Removes all blocks above a number and their contents. */
  unwind(above: number): Promise<void>;
  saveTokenMetadata(reading: TokenMetadataReading): Promise<void>;
  /** Enqueues addresses for indexing. */
  enqueueWallets(addresses: string[]): Promise<void>;
  /** Starts indexing enqueued addresses from the block after `newest`, the latest indexed block. */
  startWallets(addresses: string[], newest: number): Promise<void>;
  /**
   * Replaces what is derived from the logs of blocks, both ends included: transfers and tokens are added, sales
   * replaced. `logs` are those whose `isErc20` has changed. ERC-20 balances and lengths of lists are added to those of
   * the blocks before, which `clearSums` has reset; the property `progress` is saved in the same transaction.
   */
  replaceDerivedRows(
    blocks: { from: number; to: number },
    rows: DerivedRows,
    tokens: DiscoveredToken[],
    progress: { key: string; value: string },
  ): Promise<void>;
  /**
   * Corrects the owners of the ERC-721 tokens that were transferred in blocks, both ends included; the property
   * `progress` is saved in the same transaction.
   */
  correctOwners(
    blocks: { from: number; to: number },
    progress: { key: string; value: string },
  ): Promise<void>;
  /**
   * Removes the balances of all ERC-20 tokens and the lengths of all lists before they are recomputed; the property
   * `progress` is saved in the same transaction.
   */
  clearSums(progress: { key: string; value: string }): Promise<void>;
  /** Indexes the history of all watched wallets again, from a block down. */
  restartWalletHistories(from: number): Promise<void>;
  /** Removes all contents, if the index was built with other settings. */
  clear(): Promise<void>;
  saveProperty(key: string, value: string): Promise<void>;
  close(): Promise<void>;
}
