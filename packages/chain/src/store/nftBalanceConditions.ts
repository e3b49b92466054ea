import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import { toBytes } from "../model/hexBytes.ts";
import { NULL_ADDRESS } from "../model/rows.ts";
import { query } from "./indexQuery.ts";
import { padValues } from "./padValues.ts";
import type { ChainTables } from "./tables.ts";

export interface BalanceKey {
  token: string;
  /** 32 bytes. */
  tokenId: string;
  owner: string;
}

/** Balances of an owner (optionally in some collections, or not in some), of a collection, or of one of its tokens. */
export type BalanceSelection =
  | { owner: string; tokens?: string[]; excluded?: string[] }
  | { token: string; tokenId?: string };

const ofBalances = expressionBuilder<ChainTables, "nft_balances">();
const ofRanges = expressionBuilder<ChainTables, "nft_ranges">();
/** A condition that uses the partial index of owners. */
export const isHeld = ofBalances("held", "=", ofBalances.lit(1));

/** Condition for the balances of a selection. */
export function balanceCondition(selection: BalanceSelection): Expression<SqlBool> {
  if ("owner" in selection) {
    const { owner, tokens, excluded = [] } = selection;
    const all = ofBalances("owner", "=", toBytes(owner));
    const ofOwner = excluded.length > 0 ? all.and("token", "not in", padValues(excluded.map(toBytes))) : all;
    return tokens ? ofOwner.and("token", "in", padValues(tokens.map(toBytes))) : ofOwner;
  }
  const ofToken = ofBalances("token", "=", toBytes(selection.token));
  return selection.tokenId === undefined ? ofToken : ofToken.and("token_id", "=", toBytes(selection.tokenId));
}

/** Condition for the ranges that may contain tokens of a selection. */
export function rangeCondition(selection: BalanceSelection): Expression<SqlBool> {
  if (!("owner" in selection)) return ofRanges("token", "=", toBytes(selection.token));
  const { owner, tokens } = selection;
  const ofOwner = ofRanges("to_address", "=", toBytes(owner));
  return tokens ? ofOwner.and("token", "in", padValues(tokens.map(toBytes))) : ofOwner;
}

/** Condition for the ranges that contain an id. */
export function contains(token: Uint8Array, id: Uint8Array): Expression<SqlBool> {
  return ofRanges("token", "=", token).and("first", "<=", id).and("last", ">=", id);
}

/** Condition for the balances after a row, in the order of the primary key. */
export function isAfter({ token, tokenId, owner }: BalanceKey): Expression<SqlBool> {
  const { refTuple, tuple } = ofBalances;
  return ofBalances(
    refTuple("token", "token_id", "owner"),
    ">",
    tuple(toBytes(token), toBytes(tokenId), toBytes(owner)),
  );
}

/**
 * The position of the mint of a token: of the last one for an ERC-721 token, which can be burned and minted again,
 * otherwise of its first transfer.
 */
export function mintPosition({ token, tokenId, standard }: BalanceKey & { standard: number }) {
  const [contract, id] = [toBytes(token), toBytes(tokenId)];
  const ofToken = query.selectFrom("nft_transfers").where("token", "=", contract).where("token_id", "=", id);
  const transfer = ofToken.select((eb) => eb.fn.min("position").as("position"));
  const range = query
    .selectFrom("nft_ranges")
    .select((eb) => eb.fn.min("position").as("position"))
    .where(contains(contract, id));
  const first = query
    .selectFrom(transfer.unionAll(range).as("made"))
    .select((eb) => eb.fn.min("made.position").as("position"));
  if (standard !== 721) return first;
  const lastMint = ofToken
    .where("from_address", "=", toBytes(NULL_ADDRESS))
    .select((eb) => eb.fn.max("position").as("position"));
  return query.selectNoFrom((eb) => eb.fn.coalesce(lastMint, first).as("position"));
}
