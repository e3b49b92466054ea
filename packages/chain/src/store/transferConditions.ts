import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import { toBytes } from "../model/hexBytes.ts";
import { padValues } from "./padValues.ts";
import type { ChainTables } from "./tables.ts";

/** Transfers of a wallet, of some tokens only if they are given, or of a token. */
export type Erc20Selection = { wallet: string; tokens?: readonly string[] } | { token: string };

/** Transfers of a wallet, of some collections only if they are given, of a collection, one of its tokens, or all. */
export type NftTransferSelection =
  | { wallet: string; direction: "both" | "to" | "from"; tokens?: readonly string[] }
  | { token: string; tokenId?: string }
  | Record<string, never>;

const ofLogs = expressionBuilder<ChainTables, "logs">();
const ofParties = expressionBuilder<ChainTables, "transactions" | "nft_transfers" | "internal_transfers">();
const ofTransactions = expressionBuilder<ChainTables, "transactions">();
const ofTransfers = expressionBuilder<ChainTables, "nft_transfers">();

/** An address as topic bytes. */
export function addressTopicBytes(address: string): Buffer {
  return Buffer.concat([Buffer.alloc(12), toBytes(address)]);
}

/** A condition that uses the partial indexes of ERC-20 transfers. */
export const isErc20 = ofLogs("erc20", "=", ofLogs.lit(1));

/** Transfers of an ERC-20 token. */
export function erc20TokenCondition(token: string): Expression<SqlBool> {
  return ofLogs("address", "=", toBytes(token)).and(isErc20);
}

/** Conditions without overlap for the ERC-20 transfers from and to a wallet. */
export function erc20WalletConditions(wallet: string, tokens?: readonly string[]): Expression<SqlBool>[] {
  const topic = addressTopicBytes(wallet);
  const all = [
    isErc20.and("topic1", "=", topic),
    isErc20.and("topic2", "=", topic).and("topic1", "<>", topic),
  ];
  return tokens ? all.map((each) => each.and("address", "in", padValues(tokens.map(toBytes)))) : all;
}

/** Conditions without overlap for the transactions, NFT transfers or internal transfers from and to an address. */
export function partyConditions(address: string): Expression<SqlBool>[] {
  const bytes = toBytes(address);
  return [isParty("from_address", bytes), isParty("to_address", bytes).and("from_address", "<>", bytes)];
}

/**
 * The range says nothing new, but bounds what PostgreSQL expects from a plan for any address: of a column that has had few
 * values so far, as when all NFTs have just been minted, it would expect that all rows match, and read the table in order.
 */
function isParty(column: "from_address" | "to_address", bytes: Buffer) {
  return ofParties(column, "=", bytes).and(column, ">=", bytes).and(column, "<=", bytes);
}

/** Conditions without overlap for the transactions from and to an address, and the one that created it. */
export function transactionConditions(address: string): Expression<SqlBool>[] {
  const bytes = toBytes(address);
  const created = ofTransactions("contract", "=", bytes);
  return [
    ...partyConditions(address),
    created.and("from_address", "<>", bytes).and("to_address", "is", null),
  ];
}

/** Conditions without overlap for NFT transfers. */
export function nftConditions(selection: NftTransferSelection): Expression<SqlBool>[] {
  if ("token" in selection && selection.token !== undefined) {
    const ofToken = ofTransfers("token", "=", toBytes(selection.token));
    return [selection.tokenId ? ofToken.and("token_id", "=", toBytes(selection.tokenId)) : ofToken];
  }
  if (!("wallet" in selection) || selection.wallet === undefined) return [ofTransfers.lit(true)];
  const { wallet, direction, tokens } = selection;
  const all = walletConditions(wallet, direction);
  return tokens
    ? all.map((each) => ofTransfers.and([each, ofTransfers("token", "in", padValues(tokens.map(toBytes)))]))
    : all;
}

function walletConditions(wallet: string, direction: "both" | "to" | "from"): Expression<SqlBool>[] {
  const bytes = toBytes(wallet);
  switch (direction) {
    case "from":
      return [isParty("from_address", bytes)];
    case "to":
      return [isParty("to_address", bytes)];
    default:
      return partyConditions(wallet);
  }
}
