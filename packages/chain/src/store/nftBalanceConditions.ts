import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import { toBytes } from "../model/hexBytes.ts";
import { NULL_ADDRESS } from "../model/rows.ts";
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

/**
 * Condition for rows of `nft_metadata`: the token has an owner, and has not been burned. A token of a range that is back
 * with its first owner has no balance of its own.
 */
export const isOwned: RawBuilder<SqlBool> = (() => {
  const ofToken = sql`token = nft_metadata.token AND token_id = nft_metadata.token_id`;
  return sql<SqlBool>`(EXISTS (SELECT 1 FROM nft_balances WHERE ${ofToken} AND ${isHeld})
    OR NOT EXISTS (SELECT 1 FROM nft_balances WHERE ${ofToken})
      AND EXISTS (SELECT 1 FROM nft_ranges WHERE token = nft_metadata.token
        AND first <= nft_metadata.token_id AND last >= nft_metadata.token_id))`;
})();

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
function isAfter({ token, tokenId, owner }: BalanceKey): Expression<SqlBool> {
  const { refTuple, tuple } = ofBalances;
  return ofBalances(
    refTuple("token", "token_id", "owner"),
    ">",
    tuple(toBytes(token), toBytes(tokenId), toBytes(owner)),
  );
}

/**
 * Condition for the balances of a selection after a row. SQLite uses either the conditions of columns or the one for
 * the row, so a column has only one of them.
 */
export function balancesAfter(selection: BalanceSelection, after: BalanceKey): Expression<SqlBool> {
  const [id, owner] = [toBytes(after.tokenId), toBytes(after.owner)];
  if ("owner" in selection) {
    const { tokens, ...ofOwner } = selection;
    const [token] = tokens ?? [];
    const isOne = tokens?.length === 1 && token === after.token;
    const condition = balanceCondition(isOne ? ofOwner : selection);
    const isBefore = isOne ? [ofBalances("token", "<=", toBytes(after.token))] : [];
    return ofBalances.and([condition, isAfter(after), ...isBefore]);
  }
  const ofToken = balanceCondition(selection);
  if (selection.tokenId !== undefined) return ofBalances.and([ofToken, ofBalances("owner", ">", owner)]);
  const { refTuple, tuple } = ofBalances;
  return ofBalances.and([ofToken, ofBalances(refTuple("token_id", "owner"), ">", tuple(id, owner))]);
}

/** Values of a query; `token`, `id` and `owner` are bytes. */
interface PositionQueryColumns {
  token: RawBuilder<unknown>;
  id: RawBuilder<unknown>;
  owner: RawBuilder<unknown>;
  standard: RawBuilder<unknown>;
}

/**
 * The position of the mint of a token: of the last one for an ERC-721 token, which can be burned and minted again,
 * otherwise of its first transfer.
 */
export function mintPosition(
  { token, id, standard }: PositionQueryColumns,
  hasDropped: boolean,
): RawBuilder<number | null> {
  const ofDropped = sql`FROM dropped_nfts WHERE token = ${token} AND token_id = ${id}`;
  const firstDropped = hasDropped ? sql`UNION ALL SELECT first ${ofDropped}` : sql``;
  const ofToken = sql`FROM nft_transfers WHERE token = ${token} AND token_id = ${id}`;
  const first = sql`(SELECT min(made.position) FROM (
    SELECT min(position) AS position ${ofToken}
    UNION ALL SELECT min(position) FROM nft_ranges WHERE token = ${token} AND first <= ${id} AND last >= ${id}
    ${firstDropped}) AS made)`;
  const indexedMint = sql`(SELECT max(position) ${ofToken} AND from_address = ${toBytes(NULL_ADDRESS)})`;
  const lastMint = hasDropped ? sql`coalesce(${indexedMint}, (SELECT minted ${ofDropped}))` : indexedMint;
  return sql`CASE WHEN ${standard} = 721 THEN coalesce(${lastMint}, ${first}) ELSE ${first} END`;
}

/** The position of the last transfer of a token to an owner. */
export function receiptPosition(
  { token, id, owner }: PositionQueryColumns,
  hasDropped: boolean,
): RawBuilder<number | null> {
  const indexed = sql<number | null>`(SELECT max(position) FROM nft_transfers
    WHERE token = ${token} AND token_id = ${id} AND to_address = ${owner})`;
  if (!hasDropped) return indexed;
  return sql`coalesce(${indexed}, (SELECT received FROM dropped_nfts
    WHERE token = ${token} AND token_id = ${id} AND receiver = ${owner}))`;
}
