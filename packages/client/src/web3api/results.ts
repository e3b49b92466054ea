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

/** In wei. */
export interface NativeBalance {
  balance: string;
}

/** `balance` in the smallest unit. */
export interface Erc20Balance {
  token_address: string;
  name: string;
  symbol: string;
  logo?: string | null;
  thumbnail?: string | null;
  decimals: number;
  balance: string;
}

/** `address` is the token, `value` in its smallest unit. */
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

/** `value` and `gas_price` in wei. */
export interface Transaction {
  hash: string;
  nonce: string;
  transaction_index: string;
  from_address: string;
  to_address: string;
  value: string;
  gas: string;
  gas_price: string;
  input: string;
  receipt_cumulative_gas_used: string;
  receipt_gas_used: string;
  receipt_contract_address: string;
  receipt_root: string;
  receipt_status: string;
  block_timestamp: string;
  block_number: string;
  block_hash: string;
}

/** A token of a collection and who owns it; `metadata` is JSON text. */
export interface NftOwner {
  token_address: string;
  token_id: string;
  contract_type: string;
  owner_of: string;
  block_number: string;
  block_number_minted: string;
  token_uri?: string | null;
  metadata?: string | null;
  synced_at?: string | null;
  amount?: string | null;
  name: string;
  symbol: string;
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

/** Price of one whole token. */
export interface Erc20Price {
  nativePrice?: { value: string; decimals: number; name: string; symbol: string } | null;
  usdPrice: number;
  exchangeAddress?: string | null;
  exchangeName?: string | null;
  symbol: string;
}

/** In the smallest unit. */
export interface Erc20Allowance {
  allowance: string;
}

/** The address of a domain. */
export interface ResolvedDomain {
  address: string;
}

/** The name of an address. */
export interface ResolvedAddress {
  name: string;
}

/** The block nearest to a date; `timestamp` in seconds. */
export interface BlockDate {
  date: string;
  block: number;
  timestamp: number;
}

/** The version of the data service. */
export interface Web3Version {
  version: string;
}

/** The address of an uploaded file. */
export interface IpfsFile {
  path: string;
}
