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
 * CSV rows: full addresses and hashes, amounts in the smallest unit.
 */

export const TRANSACTION_COLUMNS = [
  "hash",
  "block",
  "time",
  "method",
  "from",
  "to",
  "value_wei",
  "fee_wei",
  "status",
];

export function transactionCells(row: Transaction | BlockTransaction): string[] {
  return [
    row.hash,
    row.block_number,
    row.block_timestamp,
    methodOf(row.input) ?? "",
    row.from_address,
    row.to_address ?? row.receipt_contract_address ?? "",
    row.value,
    String(BigInt(row.receipt_gas_used || 0) * BigInt(row.gas_price || 0)),
    row.receipt_status,
  ].map((cell) => cell ?? "");
}

export const TRANSFER_COLUMNS = ["hash", "block", "time", "token", "from", "to", "value_smallest_unit"];

export function transferCells(row: Erc20Transfer): string[] {
  return [
    row.transaction_hash,
    row.block_number,
    row.block_timestamp,
    row.address,
    row.from_address,
    row.to_address,
    row.value,
  ];
}

export const INTERNAL_TRANSACTION_COLUMNS = ["hash", "block", "time", "type", "from", "to", "value_wei"];

export function internalTransactionCells(row: AddressInternalTransaction): string[] {
  return [
    row.transaction_hash,
    row.block_number,
    row.block_timestamp,
    row.type,
    row.from_address,
    row.to_address,
    row.value,
  ];
}

export const NFT_TRANSFER_COLUMNS = [
  "hash",
  "block",
  "time",
  "collection",
  "token_id",
  "from",
  "to",
  "amount",
];

export function nftTransferCells(row: NftTransfer): string[] {
  return [
    row.transaction_hash,
    row.block_number,
    row.block_timestamp,
    row.token_address,
    row.token_id,
    row.from_address ?? "",
    row.to_address,
    row.amount ?? "1",
  ];
}

export const OWNER_COLUMNS = ["owner", "collection", "token_id", "amount", "since_block"];

export function ownerCells(row: NftOwner): string[] {
  return [row.owner_of, row.token_address, row.token_id, row.amount ?? "1", row.block_number ?? ""];
}

export const SALE_COLUMNS = ["hash", "block", "time", "token_ids", "seller", "buyer", "price", "price_token"];

export function saleCells(row: Trade): string[] {
  return [
    row.transaction_hash,
    row.block_number,
    row.block_timestamp,
    row.token_ids.join(" "),
    row.seller_address,
    row.buyer_address,
    row.price,
    row.price_token_address ?? "",
  ];
}
