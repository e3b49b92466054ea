import { expressionBuilder, sql } from "kysely";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { NULL_ADDRESS } from "../model/rows.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { type BalanceKey, contains } from "./nftBalanceConditions.ts";
import { padValues } from "./padValues.ts";
import type { ChainTables } from "./tables.ts";

const BATCH_SIZE = 200;
const ofTransfers = expressionBuilder<ChainTables, "nft_transfers">();
const ofRanges = expressionBuilder<ChainTables, "nft_ranges">();

interface TokenPositions {
  token: Uint8Array;
  token_id: Uint8Array;
  first: number;
  /** 0 if it was not minted by a transfer; positions of logs in the first block of a chain can be 0 too. */
  minted: number;
  mints: number;
}

/** See NftBalances.transferPositions(): reads transfers from a columnar database, ranges from the one of the state. */
export async function columnarTransferPositions(
  events: IndexReader,
  state: IndexReader,
  balances: readonly (BalanceKey & { standard: number })[],
): Promise<{ minted: number | undefined; received: number | undefined }[]> {
  const found: { minted: number | undefined; received: number | undefined }[] = [];
  for (let at = 0; at < balances.length; at += BATCH_SIZE)
    found.push(...(await readBatch(events, state, balances.slice(at, at + BATCH_SIZE))));
  return found;
}

async function readBatch(
  events: IndexReader,
  state: IndexReader,
  balances: readonly (BalanceKey & { standard: number })[],
) {
  // A set of pairs: ClickHouse plans a disjunction of as many conditions several times slower.
  const pairs = padValues(balances).map(
    ({ token, tokenId }) => sql`(${toBytes(token)}, ${toBytes(tokenId)})`,
  );
  const isToken = sql`(token, token_id) IN (${sql.join(pairs)})`;
  const isMint = sql`from_address = ${toBytes(NULL_ADDRESS)}`;
  const owners = padValues(balances.map(({ owner }) => toBytes(owner)));
  const [tokens, receipts, ranges] = await Promise.all([
    events.all(
      sql<TokenPositions>`SELECT token, token_id, min(position) AS first, maxIf(position, ${isMint}) AS minted,
        countIf(${isMint}) AS mints FROM nft_transfers_by_item WHERE ${isToken} GROUP BY token, token_id`,
      "list",
    ),
    events.all(
      sql<
        BalanceColumns & { last: number }
      >`SELECT token, token_id, to_address AS owner, max(position) AS last
        FROM nft_transfers_by_item WHERE ${isToken} AND ${ofTransfers("to_address", "in", owners)}
        GROUP BY token, token_id, to_address`,
      "list",
    ),
    state.all(rangesOf(balances)),
  ]);
  const byToken = new Map(tokens.map((row) => [toHex(row.token) + toHex(row.token_id), row]));
  const byOwner = new Map(
    receipts.map((row) => [toHex(row.token) + toHex(row.token_id) + toHex(row.owner), row.last]),
  );
  return balances.map(({ token, tokenId, owner, standard }) => {
    const listed = byToken.get(token + tokenId);
    const inRanges = ranges
      .filter((range) => {
        const isOf = toHex(range.token) === token;
        return isOf && toHex(range.first) <= tokenId && toHex(range.last) >= tokenId;
      })
      .map(({ position }) => position);
    const positions = [...(listed ? [listed.first] : []), ...inRanges];
    const first = positions.length > 0 ? Math.min(...positions) : undefined;
    const isMinted = standard === 721 && listed !== undefined && listed.mints > 0;
    return { minted: isMinted ? listed.minted : first, received: byOwner.get(token + tokenId + owner) };
  });
}

interface BalanceColumns {
  token: Uint8Array;
  token_id: Uint8Array;
  owner: Uint8Array;
}

/** The ranges that contain any of the tokens. */
function rangesOf(balances: readonly BalanceKey[]) {
  const isAny = balances.map(({ token, tokenId }) => contains(toBytes(token), toBytes(tokenId)));
  return query.selectFrom("nft_ranges").selectAll().where(ofRanges.or(isAny)).limit(MAX_RANGES);
}

const MAX_RANGES = 10_000;
