// Written by scripts/web3api.ts from the data API's table of endpoints: change that, not this.
import type { JsonObject } from "@purse/protocol";

/*
 * Results of the data API. Amounts, block numbers and gas are decimal text, timestamps ISO 8601 in UTC,
 * addresses lower-case hex.
 */

/** A part of a longer list; `next`, where there is more, fetches the following part. */
export interface Page<Row> {
  /** Number of rows of all pages; absent with `disable_total`. */
  total: number;
  /** Counted from 0. */
  page: number;
  page_size: number;
  cursor?: string | null;
  /** Of events: the first block whose events the server keeps; absent if it has removed none. */
  kept_from_block?: string;
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

/** A call between contracts in a transaction; the value is in wei. Calls are in execution order, those of the called contract have depth 0. */
export interface InternalTransaction {
  transaction_hash: string;
  block_number: string;
  block_hash: string;
  type: string;
  from: string;
  to: string | null;
  value: string;
  gas: string;
  gas_used: string;
  input: string;
  output: string;
  error: string | null;
  depth: number;
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
  type?: string | null;
  max_fee_per_gas?: string | null;
  max_priority_fee_per_gas?: string | null;
  effective_gas_price?: string | null;
  blob_versioned_hashes?: string[];
  max_fee_per_blob_gas?: string | null;
  blob_gas_used?: string | null;
  blob_gas_price?: string | null;
  authorization_list?: JsonObject[];
  l1_fee?: string;
  l1_gas_price?: string;
  l1_gas_used?: string;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
  logs: TransactionLog[];
  internal_transactions?: InternalTransaction[];
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
  base_fee_per_gas?: string | null;
  blob_gas_used?: string | null;
  excess_blob_gas?: string | null;
  withdrawals_root?: string | null;
  withdrawals?: JsonObject[];
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

/** A page of logs. */
export interface LogCollection extends Page<ContractLog> {
  indexed_to_block?: string;
  next?: () => Promise<LogCollection>;
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

/** A page of decoded events. */
export interface LogEventCollection extends Page<ContractEvent> {
  indexed_to_block?: string;
  next?: () => Promise<LogEventCollection>;
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
  type?: string | null;
  max_fee_per_gas?: string | null;
  max_priority_fee_per_gas?: string | null;
  effective_gas_price?: string | null;
  blob_versioned_hashes?: string[];
  max_fee_per_blob_gas?: string | null;
  blob_gas_used?: string | null;
  blob_gas_price?: string | null;
  authorization_list?: JsonObject[];
  l1_fee?: string;
  l1_gas_price?: string;
  l1_gas_used?: string;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
}

/** A transaction with receipt, call and logs. Amounts are in wei. */
export interface BlockTransactionDecoded {
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
  type?: string | null;
  max_fee_per_gas?: string | null;
  max_priority_fee_per_gas?: string | null;
  effective_gas_price?: string | null;
  blob_versioned_hashes?: string[];
  max_fee_per_blob_gas?: string | null;
  blob_gas_used?: string | null;
  blob_gas_price?: string | null;
  authorization_list?: JsonObject[];
  l1_fee?: string;
  l1_gas_price?: string;
  l1_gas_used?: string;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
  logs: JsonObject[];
  internal_transactions?: InternalTransaction[];
  decoded_call: JsonObject | null;
}

/** A page of transactions with their logs. */
export interface TransactionsDecoded extends Page<BlockTransactionDecoded> {
  indexed_to_block?: string;
  next?: () => Promise<TransactionsDecoded>;
}

/** Numbers of the transactions and transfers of a block. */
export interface BlockStats {
  transactions: JsonObject;
  nft_transfers: JsonObject;
  token_transfers: JsonObject;
}

/** A page of transfers or approvals of tokens. */
export interface Erc20Transfers extends Page<JsonObject> {
  indexed_to_block?: string;
  next?: () => Promise<Erc20Transfers>;
}

/** A page of mints of tokens. */
export interface Erc20Mints extends Page<JsonObject> {
  indexed_to_block?: string;
  next?: () => Promise<Erc20Mints>;
}

/** A page of burns of tokens. */
export interface Erc20Burns extends Page<JsonObject> {
  indexed_to_block?: string;
  next?: () => Promise<Erc20Burns>;
}

/** Native balances of wallets at one block. */
export interface NativeBalances {
  chain: string;
  chain_id: string;
  total_balance: string;
  total_balance_formatted: string;
  block_number: string;
  block_timestamp: string;
  wallet_balances: JsonObject[];
}

/** A page of transactions. */
export interface TransactionCollection extends Page<Transaction> {
  indexed_to_block?: string;
  next?: () => Promise<TransactionCollection>;
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
  possible_spam?: boolean | null;
  verified_contract?: boolean | null;
  thumbnail?: string | null;
  decimals: number | null;
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
  log_index: number;
}

/** A page of transfers of tokens. */
export interface Erc20TransactionCollection extends Page<Erc20Transfer> {
  indexed_to_block?: string;
  next?: () => Promise<Erc20TransactionCollection>;
}

/** A token contract. contract_type: only of NFT collections. */
export interface Erc20Metadata {
  address: string;
  name: string;
  symbol: string;
  decimals: string | null;
  logo?: string | null;
  possible_spam?: boolean | null;
  verified_contract?: boolean | null;
  logo_hash?: string | null;
  thumbnail?: string | null;
  block_number?: string | null;
  validated?: string | null;
  contract_type?: string | null;
}

/** An owner of a token with the balance in its smallest unit and the share of the total supply in percent. calculated_from_transfers: the sum of the transfers may differ from the contract's balance. */
export interface Erc20Owner {
  owner_address: string;
  owner_address_label?: string | null;
  entity?: string | null;
  entity_logo?: string | null;
  is_contract?: boolean | null;
  balance: string;
  balance_formatted: string | null;
  usd_value?: string | null;
  percentage_relative_to_total_supply: number;
  calculated_from_transfers?: boolean | null;
}

/** A number of rows. */
export interface Erc20Count {
  total: number;
}

/** A page of owners; total is the number of all owners. */
export interface Erc20OwnerCollection extends Page<Erc20Owner> {
  total_supply: string;
  next?: () => Promise<Erc20OwnerCollection>;
}

/** The number of holders at a time, and its change since the row before in time. */
export interface Erc20HolderCount {
  timestamp: string;
  totalHolders: number;
  netHolderChange: number;
  holderPercentChange: number;
}

/** The numbers of holders of a token at the end of intervals. */
export interface Erc20HolderHistory {
  result: Erc20HolderCount[];
}

/** Figures of a token. The creator is null if another contract created it. calculated_from_transfers: minted minus burned amounts differ from the total supply. */
export interface Erc20Stats {
  token_address: string;
  holders: Erc20Count;
  transfers: Erc20Count;
  total_supply: string;
  total_supply_formatted: string | null;
  creator_address: string | null;
  creation_block_number: string | null;
  creation_transaction_hash: string | null;
  calculated_from_transfers?: boolean | null;
  indexed_to_block?: string;
  kept_from_block?: string;
}

/** Allowance of a spender in the token's smallest unit. */
export interface Erc20Allowance {
  allowance: string;
}

/** A price in the native coin, in wei, with the contract of the wrapped coin. */
export interface NativeErc20Price {
  value: string;
  decimals: number;
  name: string;
  symbol: string;
  address?: string | null;
}

/** The price of one whole token. */
export interface Erc20Price {
  nativePrice: NativeErc20Price;
  usdPrice: number;
  exchangeAddress?: string | null;
  exchangeName?: string | null;
  symbol?: string | null;
}

/** The verified source of a contract. match is partial if only the bytecode without the hash of the metadata is equal; optimizer_runs is null without the optimizer; content is null if the repository does not have the file as it was compiled. */
export interface ContractSource {
  address: string;
  match: "full" | "partial";
  name: string;
  language: string;
  compiler_version: string;
  evm_version: string | null;
  optimizer_runs: number | null;
  abi: JsonObject[];
  files: JsonObject[];
}

/** An NFT; metadata is JSON text. */
export interface Nft {
  token_address: string;
  token_id: string;
  contract_type: string;
  token_uri?: string | null;
  metadata?: string | null;
  synced_at?: string | null;
  owner_of?: string | null;
  block_number?: string | null;
  block_number_minted?: string | null;
  amount?: string | null;
  name?: string | null;
  symbol?: string | null;
  royalty_receiver?: string | null;
  royalty_basis_points?: number | null;
  normalized_metadata?: JsonObject | null;
  possible_spam?: boolean | null;
  verified_collection?: boolean | null;
}

/** A page of NFTs; status is SYNCED, SYNCING or PARTIAL, as in pages of owners. */
export interface NftCollection extends Page<Nft> {
  status?: string | null;
  next?: () => Promise<NftCollection>;
}

/** The number of owners. */
export interface CollectionOwners {
  current: string;
}

/** The number of transfers. */
export interface CollectionTransfers {
  total: string;
}

/** The number of sales, of all times and of the last days. */
export interface CollectionSales {
  total: string;
  in_period: string;
  days: number;
}

/** The number and share, in percent, of the tokens that have a value. */
export interface TraitValue {
  value: string | number | boolean;
  count: number;
  percentage: number;
}

/** A trait of a collection with its values. */
export interface Trait {
  trait_type: string;
  values: TraitValue[];
}

/** Numbers of a collection. Prices are in the native coin, in wei. */
export interface NftCollectionStats {
  token_address: string;
  total_tokens: string;
  owners: CollectionOwners;
  transfers: CollectionTransfers;
  sales: CollectionSales;
  floor_price: string | null;
  volume: string;
  average_price: string | null;
  last_sale: Trade | null;
  indexed_to_block?: string;
  kept_from_block?: string;
}

/** Numbers of one NFT. */
export interface NftTokenStats {
  owners: CollectionOwners;
  transfers: CollectionTransfers;
}

/** Traits of a collection; total_tokens is the number of tokens with metadata. */
export interface NftTraits {
  token_address: string;
  total_tokens: number;
  is_partial: boolean;
  traits: Trait[];
}

/** The rarity of a token: the score is the information content of its traits divided by the average of the collection; equal scores share a rank, and the percentage is that of the rank. */
export interface NftRarity {
  token_id: string;
  rarity_rank: number;
  rarity_score: number;
  rarity_percentage: number;
}

/** A page of the tokens of a collection that have traits. */
export interface NftRarities {
  token_address: string;
  total_tokens: number;
  page: number;
  page_size: number;
  cursor?: string | null;
  result: NftRarity[];
  next?: () => Promise<NftRarities>;
}

/** A collection of a wallet, with the number of different tokens that it owns. */
export interface WalletCollection {
  token_address: string;
  contract_type: string;
  name?: string | null;
  symbol?: string | null;
  count: number;
  possible_spam?: boolean | null;
  verified_collection?: boolean | null;
  collection_logo?: string | null;
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
  normalized_metadata?: JsonObject | null;
  possible_spam?: boolean | null;
  verified_collection?: boolean | null;
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
  indexed_to_block?: string;
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
  possible_spam?: boolean | null;
  verified_collection?: boolean | null;
  collection_logo?: string | null;
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

/** A page of sales. */
export interface TradeCollection extends Page<Trade> {
  indexed_to_block?: string;
  next?: () => Promise<TradeCollection>;
}

/** The token of an approval. At risk is the smaller of allowance and balance; for NFTs, the number of tokens that the spender can take. */
export interface ApprovedToken {
  address: string;
  name: string;
  symbol: string;
  logo: string | null;
  possible_spam: boolean;
  verified_contract: boolean;
  decimals: number | null;
  token_id: string | null;
  current_balance: string;
  current_balance_formatted: string;
  amount_at_risk: string;
  usd_price: number | null;
  usd_at_risk: number | null;
}

/** Who may take the tokens. */
export interface ApprovalSpender {
  address: string;
  address_label: string | null;
}

/** An open approval of a wallet, with the transaction that gave it last. The value is the allowance that is left in the token's smallest unit; null for NFTs. */
export interface WalletApproval {
  approval_type: "erc20" | "nft" | "nft_collection";
  transaction_hash: string;
  log_index: number;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
  value: string | null;
  value_formatted: string | null;
  is_unlimited: boolean;
  token: ApprovedToken;
  spender: ApprovalSpender;
}

/** A page of open approvals at one block. */
export interface WalletApprovalCollection extends Page<WalletApproval> {
  total_usd_at_risk: number;
  block_number: string;
  indexed_to_block?: string;
  next?: () => Promise<WalletApprovalCollection>;
}

/** A transfer of native coins, in wei; internal ones were sent by contracts. */
export interface NativeMovement {
  from_address: string;
  to_address: string | null;
  value: string;
  value_formatted: string;
  direction: "send" | "receive" | "self";
  internal_transaction: boolean;
  token_symbol: string;
}

/** A transfer of a token from or to the wallet. */
export interface Erc20Movement {
  address: string;
  token_name: string;
  token_symbol: string;
  token_logo: string | null;
  token_decimals: string | null;
  possible_spam: boolean;
  verified_contract: boolean;
  from_address: string;
  to_address: string;
  direction: "send" | "receive" | "self";
  log_index: number;
  value: string;
  value_formatted: string;
}

/** A transfer of an NFT from or to the wallet. */
export interface NftMovement {
  token_address: string;
  token_id: string;
  name: string;
  symbol: string;
  contract_type: string;
  amount: string;
  possible_spam: boolean;
  verified_collection: boolean;
  collection_logo: string | null;
  from_address: string;
  to_address: string;
  direction: "send" | "receive" | "self";
  log_index: number;
}

/** An approval that the wallet gave, changed or revoked. */
export interface ApprovalChange {
  approval_type: "erc20" | "nft" | "nft_collection";
  token_address: string;
  token_name: string;
  token_symbol: string;
  token_id: string | null;
  spender_address: string;
  value: string | null;
  value_formatted: string | null;
  is_unlimited: boolean;
  is_revoked: boolean;
  log_index: number;
}

/** A sale of NFTs on a marketplace. */
export interface NftSale {
  token_address: string;
  token_ids: string[];
  seller_address: string;
  buyer_address: string;
  marketplace_address: string;
  price: string;
  price_formatted: string | null;
  price_token_address: string | null;
  price_symbol: string;
}

/** A transaction with all that it did to a wallet. The fee is in whole native coins. */
export interface WalletHistoryEntry {
  hash: string;
  nonce: string;
  transaction_index: string;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
  from_address: string;
  to_address: string | null;
  value: string;
  gas: string;
  gas_price: string;
  receipt_gas_used: string;
  receipt_contract_address: string | null;
  receipt_status: string | null;
  transaction_fee: string;
  method_label: string | null;
  category:
    | "send"
    | "receive"
    | "token send"
    | "token receive"
    | "nft send"
    | "nft receive"
    | "token swap"
    | "nft purchase"
    | "nft sale"
    | "mint"
    | "burn"
    | "deposit"
    | "withdraw"
    | "approve"
    | "revoke"
    | "deploy"
    | "failed"
    | "contract interaction";
  summary: string;
  native_transfers: NativeMovement[];
  erc20_transfers: Erc20Movement[];
  nft_transfers: NftMovement[];
  approvals: ApprovalChange[];
  nft_sales: NftSale[];
  is_truncated: boolean;
}

/** A page of the history of a wallet. */
export interface WalletHistoryCollection {
  page: number;
  page_size: number;
  cursor?: string | null;
  indexed_to_block?: string;
  kept_from_block?: string;
  result: WalletHistoryEntry[];
  next?: () => Promise<WalletHistoryCollection>;
}

/** A balance with its value. Changes are those of the price within 24 hours. The native coin has the address 0xeeee…eeee. */
export interface WalletToken {
  chain: string;
  token_address: string;
  name: string;
  symbol: string;
  logo: string | null;
  possible_spam: boolean;
  verified_contract: boolean;
  thumbnail?: string | null;
  decimals: number | null;
  balance: string;
  balance_formatted: string;
  native_token: boolean;
  usd_price: number | null;
  usd_price_24hr_percent_change: number | null;
  usd_price_24hr_usd_change: number | null;
  usd_value: number | null;
  usd_value_24hr_usd_change: number | null;
  portfolio_percentage: number | null;
  no_price_reason: string | null;
}

/** A chain that could not be read, and why. */
export interface UnavailableChain {
  chain: string;
  message: string;
}

/** A page of the tokens of a wallet. */
export interface WalletTokenCollection extends Page<WalletToken> {
  unavailable_chains: UnavailableChain[];
  next?: () => Promise<WalletTokenCollection>;
}

/** What a wallet owns on one chain, in US dollars. */
export interface ChainNetWorth {
  chain: string;
  native_balance: string;
  native_balance_formatted: string;
  native_balance_usd: string | null;
  token_balance_usd: string;
  networth_usd: string;
  networth_24hr_usd_change: string | null;
  priced_tokens: number;
  unpriced_tokens: number;
}

/** What a wallet owns on several chains, in US dollars. */
export interface WalletNetWorth {
  total_networth_usd: string;
  total_networth_24hr_usd_change: string | null;
  total_networth_24hr_percent_change: number | null;
  chains: ChainNetWorth[];
  unavailable_chains: UnavailableChain[];
}

/** A number of rows. */
export interface WalletStatsCount {
  total: string;
}

/** Numbers of NFTs and collections that a wallet owns, and of its transactions and transfers. */
export interface WalletStats {
  nfts: string;
  collections: string;
  transactions: WalletStatsCount;
  nft_transfers: WalletStatsCount;
  token_transfers: WalletStatsCount;
  indexed_to_block?: string;
  kept_from_block?: string;
}

/** When a wallet was active. */
export interface ActiveTransaction {
  block_timestamp: string;
  block_number: string;
  transaction_hash: string;
}

/** A chain with the first and the last transaction from or to a wallet; null if there is none, or if it is not kept. */
export interface ActiveChain {
  chain: string;
  chain_id: string;
  first_transaction: ActiveTransaction | null;
  last_transaction: ActiveTransaction | null;
  indexed_to_block?: string;
  kept_from_block?: string;
}

/** The chains on which a wallet was active. */
export interface WalletChains {
  address: string;
  active_chains: ActiveChain[];
  unavailable_chains: UnavailableChain[];
}

/** The price of one whole token; null with a reason if there is none. */
export interface TokenPriceRow {
  tokenAddress: string;
  tokenName: string;
  tokenSymbol: string;
  tokenLogo: string | null;
  tokenDecimals: string | null;
  possibleSpam: boolean;
  verifiedContract: boolean;
  nativePrice: NativeErc20Price | null;
  usdPrice: number | null;
  usdPriceFormatted: string | null;
  "24hrPercentChange": string | null;
  usdPrice24hr: number | null;
  exchangeName: string | null;
  exchangeAddress: string | null;
  pairAddress: string | null;
  pairTotalLiquidityUsd: string | null;
  blockNumber: string;
  noPriceReason: string | null;
}

/** Prices and volume of an interval that begins at the timestamp. */
export interface Candle {
  timestamp: string;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
  trades: number;
}

/** A page of price intervals of a token in a pool, latest first. Intervals without trades are left out. */
export interface CandleCollection {
  page: number;
  page_size: number;
  cursor?: string | null;
  pairAddress: string;
  tokenAddress: string;
  timeframe: string;
  currency: string;
  indexed_to_block?: string;
  kept_from_block?: string;
  result: Candle[];
  next?: () => Promise<CandleCollection>;
}

/** A call that the account makes; the value is in wei. */
export interface AccountCall {
  to_address: string;
  value: string;
  data: string;
  method_label: string | null;
}

/** A user operation as the bundler sent it. The calls are null for accounts without the functions execute and executeBatch of the reference implementation. */
export interface SentUserOperation {
  init_code: string;
  call_data: string;
  method_label: string | null;
  calls: AccountCall[] | null;
  call_gas_limit: string;
  verification_gas_limit: string;
  pre_verification_gas: string;
  max_fee_per_gas: string;
  max_priority_fee_per_gas: string;
  paymaster_and_data: string;
  signature: string;
  aggregator: string | null;
  beneficiary: string;
}

/** A user operation as its EntryPoint logged it, costs in wei. The operation is null if the bundler called the EntryPoint through another contract. */
export interface UserOperation {
  user_op_hash: string;
  entry_point: string;
  entry_point_version: string;
  sender: string;
  paymaster: string | null;
  nonce: string;
  success: boolean;
  actual_gas_cost: string;
  actual_gas_used: string;
  revert_reason: string | null;
  revert_message: string | null;
  factory: string | null;
  bundler: string | null;
  operation: SentUserOperation | null;
  transaction_hash: string;
  transaction_index: string;
  log_index: number;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
}

/** A page of user operations. */
export interface UserOperationCollection extends Page<UserOperation> {
  indexed_to_block?: string;
  next?: () => Promise<UserOperationCollection>;
}

/** Native coins that a contract sent, in wei, or a contract that it created. The internal index is the order within the transaction. */
export interface AddressInternalTransaction {
  transaction_hash: string;
  transaction_index: string;
  internal_index: number;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
  type: "call" | "create";
  from_address: string;
  to_address: string;
  direction: "send" | "receive" | "self";
  value: string;
  value_formatted: string;
}

/** A page of internal transactions. */
export interface AddressInternalTransactionCollection extends Page<AddressInternalTransaction> {
  indexed_to_block?: string;
  next?: () => Promise<AddressInternalTransactionCollection>;
}

/** A transaction that is not in a block yet, prices in wei per gas. It is queued while it waits for one with a lower nonce that the node does not have. */
export interface PendingTransaction {
  hash: string;
  nonce: string;
  from_address: string;
  to_address: string | null;
  direction: "send" | "receive" | "self";
  value: string;
  gas: string;
  gas_price: string | null;
  max_fee_per_gas: string | null;
  max_priority_fee_per_gas: string | null;
  type: string;
  input: string;
  method_label: string | null;
  status: "pending" | "queued";
}

/** A page of pending transactions by nonce, what the node knows them from, and whether it knows those to the wallet. */
export interface PendingTransactionCollection extends Page<PendingTransaction> {
  sources: "txpool" | "pending_block"[];
  includes_incoming: boolean;
  next?: () => Promise<PendingTransactionCollection>;
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
