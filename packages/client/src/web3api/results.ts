// Written by scripts/web3api.ts from the data service's table of endpoints: change that, not this.
import type { JsonObject } from "@purse/protocol";

/*
 * Results of the data service. Amounts, block numbers and gas are decimal text, timestamps ISO 8601 in UTC,
 * addresses lower-case hex.
 */

/** A part of a longer list; `next`, where there is more, fetches the following part. */
export interface Page<Row> {
  total: number;
  /** Counted from 0. */
  page: number;
  page_size: number;
  cursor?: string | null;
  result: Row[];
  next?: () => Promise<Page<Row>>;
}

/** A log of a transaction. */
export interface TransactionLog {
  log_index: string;
  transaction_hash: string;
  transaction_index: string;
  address: string;
  data: string;
  topic0?: string | null;
  topic1?: string | null;
  topic2?: string | null;
  topic3?: string | null;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
}

/** A transaction with receipt and logs. Amounts are in wei. */
export interface BlockTransaction {
  hash: string;
  nonce: string;
  transaction_index: string;
  from_address: string;
  to_address?: string | null;
  value: string;
  gas: string;
  gas_price: string;
  input: string;
  receipt_cumulative_gas_used: string;
  receipt_gas_used: string;
  receipt_contract_address?: string | null;
  receipt_root?: string | null;
  receipt_status: string | null;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
  logs: TransactionLog[];
}

/** A block with its transactions. */
export interface Block {
  timestamp: string;
  number: string;
  hash: string;
  parent_hash: string;
  nonce?: string | null;
  sha3_uncles: string | null;
  logs_bloom: string | null;
  transactions_root: string | null;
  state_root: string | null;
  receipts_root: string | null;
  miner: string | null;
  difficulty: string | null;
  total_difficulty?: string | null;
  size: string | null;
  extra_data: string | null;
  gas_limit: string | null;
  gas_used: string | null;
  transaction_count: string;
  transactions: BlockTransaction[];
}

/** The block nearest to a date; its timestamp in seconds since the epoch. */
export interface BlockDate {
  date: string;
  block: number;
  timestamp: number;
}

/** A log of a contract. */
export interface ContractLog {
  transaction_hash: string;
  address: string;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
  data: string;
  topic0?: string | null;
  topic1?: string | null;
  topic2?: string | null;
  topic3?: string | null;
}

/** A decoded event; data contains the arguments by name. */
export interface ContractEvent {
  transaction_hash: string;
  address: string;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
  data: JsonObject;
}

/** A transaction with its receipt. Amounts are in wei. */
export interface Transaction {
  hash: string;
  nonce: string;
  transaction_index: string;
  from_address: string;
  to_address?: string | null;
  value: string;
  gas: string;
  gas_price: string;
  input: string;
  receipt_cumulative_gas_used: string;
  receipt_gas_used: string;
  receipt_contract_address?: string | null;
  receipt_root?: string | null;
  receipt_status: string | null;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
}

/** An amount of the native coin, in wei. */
export interface NativeBalance {
  balance: string;
}

/** Balance of a token in its smallest unit. */
export interface Erc20Balance {
  token_address: string;
  name: string;
  symbol: string;
  logo?: string | null;
  thumbnail?: string | null;
  decimals: number;
  balance: string;
  calculated_from_transfers?: boolean | null;
}

/** A transfer of a token: address is the token, value in its smallest unit. */
export interface Erc20Transfer {
  transaction_hash: string;
  address: string;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
  to_address: string;
  from_address: string;
  value: string;
}

/** A token contract. */
export interface Erc20Metadata {
  address: string;
  name: string;
  symbol: string;
  decimals: string;
  logo?: string | null;
  logo_hash?: string | null;
  thumbnail?: string | null;
  block_number?: string | null;
  validated?: string | null;
}

/** Allowance of a spender in the token's smallest unit. */
export interface Erc20Allowance {
  allowance: string;
}

/** A price in the native coin, in wei. */
export interface NativeErc20Price {
  value: string;
  decimals: number;
  name: string;
  symbol: string;
}

/** The price of one whole token. */
export interface Erc20Price {
  nativePrice: NativeErc20Price;
  usdPrice: number;
  exchangeAddress?: string | null;
  exchangeName?: string | null;
  symbol?: string | null;
}

/** An NFT; metadata is JSON text. */
export interface Nft {
  token_address: string;
  token_id: string;
  contract_type: string;
  token_uri?: string | null;
  metadata?: string | null;
  synced_at?: string | null;
  amount?: string | null;
  name?: string | null;
  symbol?: string | null;
  royalty_receiver?: string | null;
  royalty_basis_points?: number | null;
}

/** A page of NFTs; status is SYNCED, SYNCING or PARTIAL, as in pages of owners. */
export interface NftCollection extends Page<Nft> {
  status?: string | null;
  next?: () => Promise<NftCollection>;
}

/** Metadata of an NFT as JSON text. */
export interface NftMetadata {
  token_address: string;
  token_id: string;
  contract_type: string;
  token_uri?: string | null;
  metadata?: string | null;
  synced_at?: string | null;
  token_hash?: string | null;
}

/** An NFT and its owner; metadata is JSON text. */
export interface NftOwner {
  token_address: string;
  token_id: string;
  contract_type: string;
  owner_of: string;
  block_number: string | null;
  block_number_minted: string | null;
  token_uri?: string | null;
  metadata?: string | null;
  synced_at?: string | null;
  amount?: string | null;
  name?: string | null;
  symbol?: string | null;
}

/** A page of NFTs and their owners; status is SYNCED, SYNCING while the index is incomplete, or PARTIAL if the collection has tokens that are not listed individually. */
export interface NftOwnerCollection extends Page<NftOwner> {
  status?: string | null;
  next?: () => Promise<NftOwnerCollection>;
}

/** An NFT transfer; value is the value of the transaction, in wei. */
export interface NftTransfer {
  token_address: string;
  token_id: string;
  contract_type: string;
  from_address?: string | null;
  to_address: string;
  value?: string | null;
  amount?: string | null;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
  transaction_hash: string;
  transaction_type?: string | null;
  transaction_index?: string | null;
  log_index: number;
  operator?: string | null;
}

/** A page of NFT transfers. */
export interface NftTransferCollection extends Page<NftTransfer> {
  block_exists?: boolean | null;
  index_complete?: boolean | null;
  next?: () => Promise<NftTransferCollection>;
}

/** A collection contract. */
export interface NftContractMetadata {
  token_address: string;
  name?: string | null;
  synced_at?: string | null;
  symbol?: string | null;
  contract_type: string;
}

/** Status of the request. */
export interface MetadataResync {
  status: string;
}

/** A sale; the price is in wei, or in the smallest unit of the payment token. */
export interface Trade {
  transaction_hash: string;
  transaction_index: string;
  token_ids: string[];
  seller_address: string;
  buyer_address: string;
  marketplace_address: string;
  price_token_address?: string | null;
  price: string;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
  token_address: string;
}

/** The address of a domain. */
export interface ResolvedDomain {
  address: string;
}

/** The name of an address. */
export interface ResolvedAddress {
  name: string;
}

/** Reserves of a pair, in the tokens' smallest units. */
export interface ReservesCollection {
  reserve0: string;
  reserve1: string;
}

/** A pair and its tokens in the contract's order. */
export interface Pair {
  token0: Erc20Metadata;
  token1: Erc20Metadata;
  pairAddress: string;
}

/** URL of a file. */
export interface IpfsFile {
  path: string;
}

/** Version of the API. */
export interface Web3Version {
  version: string;
}

/** Rate limit cost of an endpoint. */
export interface EndpointWeight {
  endpoint: string;
  path: string;
  rateLimitWeight: string;
  price: string;
}
