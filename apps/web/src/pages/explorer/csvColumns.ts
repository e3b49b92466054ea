import type {
  AddressInternalTransaction,
  BlockTransaction,
  Erc20Transfer,
  NftOwner,
  NftTransfer,
  Trade,
  Transaction,
} from "@purse/client";
import { methodOf } from "@purse/protocol";

/*
 * CSV columns: full addresses and hashes, amounts in the smallest unit.
 */

/** The cells of a row by the name of the column. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => string | null | undefined>>;

interface ChainEvent {
  transaction_hash: string;
  block_number: string;
  block_timestamp: string;
}

const EVENT = {
  hash: (row: ChainEvent) => row.transaction_hash,
  block: (row: ChainEvent) => row.block_number,
  time: (row: ChainEvent) => row.block_timestamp,
};

export const TRANSACTION_COLUMNS: CsvColumns<Transaction | BlockTransaction> = {
  hash: (row) => row.hash,
  block: (row) => row.block_number,
  time: (row) => row.block_timestamp,
  method: (row) => methodOf(row.input),
  from: (row) => row.from_address,
  to: (row) => row.to_address ?? row.receipt_contract_address,
  value_wei: (row) => row.value,
  fee_wei: (row) => String(BigInt(row.receipt_gas_used || 0) * BigInt(row.gas_price || 0)),
  status: (row) => row.receipt_status,
};

export const TRANSFER_COLUMNS: CsvColumns<Erc20Transfer> = {
  ...EVENT,
  token: (row) => row.address,
  from: (row) => row.from_address,
  to: (row) => row.to_address,
  value_smallest_unit: (row) => row.value,
};

export const INTERNAL_TRANSACTION_COLUMNS: CsvColumns<AddressInternalTransaction> = {
  ...EVENT,
  type: (row) => row.type,
  from: (row) => row.from_address,
  to: (row) => row.to_address,
  value_wei: (row) => row.value,
};

export const NFT_TRANSFER_COLUMNS: CsvColumns<NftTransfer> = {
  ...EVENT,
  collection: (row) => row.token_address,
  token_id: (row) => row.token_id,
  from: (row) => row.from_address,
  to: (row) => row.to_address,
  amount: (row) => row.amount ?? "1",
};

export const OWNER_COLUMNS: CsvColumns<NftOwner> = {
  owner: (row) => row.owner_of,
  collection: (row) => row.token_address,
  token_id: (row) => row.token_id,
  amount: (row) => row.amount ?? "1",
  since_block: (row) => row.block_number,
};

export const SALE_COLUMNS: CsvColumns<Trade> = {
  ...EVENT,
  token_ids: (row) => row.token_ids.join(" "),
  seller: (row) => row.seller_address,
  buyer: (row) => row.buyer_address,
  price: (row) => row.price,
  price_token: (row) => row.price_token_address,
};
