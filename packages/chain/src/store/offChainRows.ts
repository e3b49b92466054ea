import { sql } from "kysely";
import { PENDING } from "./indexWriter.ts";
import { ANY_BLOCK } from "./nftUpdates.ts";
import type { Sql } from "./postgresSql.ts";
import type { BlocksTable } from "./tables.ts";

/** The schemas of the index that is read and of the one that will take its place. */
export interface CopiedSchemas {
  former: string;
  next: string;
}

/** Instead of the time at which metadata is read again: a client has requested it. */
const REQUESTED = 0;

/**
 * Copies what was read from contracts and from the web, and what clients requested. With a block, only what was read up
 * to it, and only if it is one of both indexes. `tx` uses the tables of the index that is built.
 */
export async function copyOffChainRows(
  tx: Sql,
  { former, next }: CopiedSchemas,
  upTo?: BlocksTable,
): Promise<void> {
  const hasBlock = (schema: string, { number, hash }: BlocksTable) =>
    sql`EXISTS (SELECT FROM ${sql.id(schema, "blocks")} AS common
        WHERE common.number = ${number}::int8 AND common.hash = ${hash}::bytea)`;
  // Each statement sees one state of the other index.
  const isOfBoth = (block: string) =>
    upTo
      ? sql`AND known.${sql.id(block)} <= ${upTo.number}::int8
            AND ${hasBlock(former, upTo)} AND ${hasBlock(next, upTo)}`
      : sql``;
  await tx`
      UPDATE tokens SET name = known.name, symbol = known.symbol, decimals = known.decimals, known = 1,
        symbol_key = known.symbol_key, name_key = known.name_key, read_block = known.read_block, read_at = known.read_at
      FROM ${sql.id(former, "tokens")} AS known
      WHERE known.address = tokens.address AND known.known = 1
        AND (tokens.known = 0 OR coalesce(tokens.read_at, -1) < known.read_at) ${isOfBoth("read_block")}`;
  await tx`
      INSERT INTO tokens (address, standard, position, name, symbol, decimals, known, symbol_key, name_key, read_block,
        read_at)
      SELECT address, standard, position, name, symbol, decimals, known, symbol_key, name_key, read_block, read_at
      FROM ${sql.id(former, "tokens")} AS known
      WHERE position IS NULL ${isOfBoth("read_block")} ON CONFLICT DO NOTHING`;
  await tx`
      UPDATE nft_metadata SET uri = known.uri, uri_block = known.uri_block, metadata = known.metadata,
        synced_at = known.synced_at, looked_at = known.looked_at, problem = known.problem, tries = known.tries,
        due = known.due, words = known.words
      FROM ${sql.id(former, "nft_metadata")} AS known
      WHERE known.token = nft_metadata.token AND known.token_id = nft_metadata.token_id
        AND (known.uri_block IS NOT NULL AND (nft_metadata.uri_block IS NULL OR nft_metadata.uri_block < known.uri_block
            OR coalesce(nft_metadata.looked_at, -1) < known.looked_at)
          OR known.due = ${REQUESTED}::int8) ${isOfBoth("uri_block")}`;
  await tx`
      INSERT INTO nft_updates AS own SELECT token, first, last, block
      FROM ${sql.id(former, "nft_updates")} WHERE block = ${ANY_BLOCK}::int8
      ON CONFLICT (token, first) DO UPDATE
        SET last = greatest(own.last, excluded.last), block = greatest(own.block, excluded.block)`;
}

/** Adds the known wallets of the index that is read to those of the one that is built; returns how many. */
export async function copyWallets(tx: Sql, { former }: CopiedSchemas): Promise<number> {
  const { count } = await tx`INSERT INTO watched
      SELECT address, ${PENDING}::int8, ${Number.MAX_SAFE_INTEGER}::int8
      FROM ${sql.id(former, "watched")} ON CONFLICT DO NOTHING`;
  return count;
}
