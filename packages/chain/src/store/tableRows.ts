import { toHex, toHexOrNull } from "../model/hexBytes.ts";
import type {
  BlockRow,
  InternalTransferRow,
  NftTransferRow,
  RawLog,
  TradeRow,
  TransactionFees,
  TransactionRow,
} from "../model/rows.ts";
import type { NftKey, TokenMetadata } from "../model/tokens.ts";
import { transferParties } from "../model/topics.ts";
import type { WatchedWallet } from "./indexWriter.ts";
import type {
  BlocksTable,
  InternalTransfersTable,
  LogsTable,
  NftMetadataTable,
  NftTransfersTable,
  TokensTable,
  TradesTable,
  TransactionFeesTable,
  TransactionsTable,
  WatchedTable,
} from "./tables.ts";

export interface Erc20Transfer {
  position: number;
  transactionHash: string;
  token: string;
  from: string;
  to: string;
  /** Decimal. */
  value: string;
}

/** An NFT whose URI or metadata is due. */
export interface PendingNft extends NftKey {
  standard: number;
  /** null if it must be read from the contract. */
  uri: string | null;
  attempts: number;
}

export function blockRow(row: BlocksTable): BlockRow {
  return {
    number: row.number,
    hash: toHex(row.hash),
    parentHash: toHex(row.parent_hash),
    timestamp: row.timestamp,
  };
}

export function transactionRow(row: TransactionsTable, fees?: TransactionFeesTable): TransactionRow {
  return {
    position: row.position,
    hash: toHex(row.hash),
    from: toHex(row.from_address),
    to: toHexOrNull(row.to_address),
    value: row.value,
    nonce: row.nonce,
    gas: row.gas,
    gasPrice: row.gas_price,
    input: toHex(row.input),
    status: row.status,
    cumulativeGasUsed: row.cumulative_gas_used,
    gasUsed: row.gas_used,
    contract: toHexOrNull(row.contract),
    root: toHexOrNull(row.root),
    fees: fees === undefined ? null : transactionFees(fees),
  };
}

function transactionFees(row: TransactionFeesTable): TransactionFees {
  return {
    type: row.type,
    maxFeePerGas: row.max_fee,
    maxPriorityFeePerGas: row.max_priority_fee,
    effectiveGasPrice: row.effective_gas_price,
    details: row.details === null ? null : JSON.parse(row.details),
  };
}

function logTopics(row: LogsTable): string[] {
  return [row.topic0, row.topic1, row.topic2, row.topic3].flatMap((topic) => (topic ? [toHex(topic)] : []));
}

export function indexedLog(row: LogsTable): RawLog {
  return {
    position: row.position,
    transactionIndex: row.transaction_index,
    transactionHash: toHex(row.transaction_hash),
    address: toHex(row.address),
    topics: logTopics(row),
    data: toHex(row.data),
  };
}

export function erc20Transfer(row: LogsTable): Erc20Transfer {
  return {
    position: row.position,
    transactionHash: toHex(row.transaction_hash),
    token: toHex(row.address),
    ...transferParties(logTopics(row)),
    value: BigInt(toHex(row.data)).toString(),
  };
}

export function watchedWallet({ address, since, next }: WatchedTable): WatchedWallet {
  return { address: toHex(address), since, next };
}

export function tokenMetadata({ address, standard, name, symbol, decimals }: TokensTable): TokenMetadata {
  return { address: toHex(address), standard, name, symbol, decimals };
}

/** Converts a table row. */
export function tradeRow(row: TradesTable): TradeRow {
  return {
    position: row.position,
    transactionIndex: row.transaction_index,
    transactionHash: toHex(row.transaction_hash),
    token: toHex(row.token),
    marketplace: toHex(row.marketplace),
    seller: toHex(row.seller),
    buyer: toHex(row.buyer),
    price: toHex(row.price),
    priceToken: row.price_token && toHex(row.price_token),
    tokenIds: row.token_ids.split(","),
  };
}

/** Converts a table row. */
export function nftTransferRow(row: NftTransfersTable): NftTransferRow {
  return {
    position: row.position,
    part: row.part,
    transactionIndex: row.transaction_index,
    transactionHash: toHex(row.transaction_hash),
    token: toHex(row.token),
    tokenId: toHex(row.token_id),
    standard: row.standard === 721 ? 721 : 1155,
    isBatch: row.batch === 1,
    operator: row.operator && toHex(row.operator),
    from: toHex(row.from_address),
    to: toHex(row.to_address),
    amount: row.amount,
  };
}

/** Converts a table row. */
export function internalTransferRow(row: InternalTransfersTable): InternalTransferRow {
  return {
    position: row.position,
    part: row.part,
    from: toHex(row.from_address),
    to: toHex(row.to_address),
    value: row.value,
    isCreation: row.created === 1,
  };
}

/** The columns of a pending NFT. */
export const PENDING_COLUMNS = ["token", "token_id", "standard", "uri", "uri_block", "tries"] as const;
export type PendingRow = Pick<NftMetadataTable, (typeof PENDING_COLUMNS)[number]>;

/** Converts a table row. */
export function pendingNft(row: PendingRow): PendingNft {
  return {
    token: toHex(row.token),
    tokenId: toHex(row.token_id),
    standard: row.standard,
    uri: row.uri_block === null ? null : row.uri,
    attempts: row.tries,
  };
}
