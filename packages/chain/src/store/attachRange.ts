import { sql } from "kysely";
import { toHex } from "../model/hexBytes.ts";
import { type BlockRow, positionOf } from "../model/rows.ts";
import { decodeOrdered } from "./orderedInteger.ts";
import { addErc20Balances } from "./postgresErc20Balances.ts";
import { requeueTokens } from "./postgresInsert.ts";
import { correctNftOwnersBetween } from "./postgresNftBalances.ts";
import { partitionBounds } from "./postgresPartitions.ts";
import type { Transaction } from "./postgresSql.ts";
import { RANGE_CHECK } from "./rangeIndex.ts";
import type { BackfillRange } from "./rangeLeases.ts";
import { blockRow } from "./tableRows.ts";
import type { BlocksTable } from "./tables.ts";
import { DEFINITION_FACT } from "./upgradeProgress.ts";

const BALANCES_PER_STATEMENT = 5_000;
/** Blocks whose NFTs are read together. */
const BLOCKS_PER_CORRECTION = 500;

export interface AttachRangeOptions {
  /** The schema of the range, and that of the index. */
  schema: string;
  indexSchema: string;
  /** Blocks of a partition. */
  blocks: number;
  /** The latest block of the index. */
  parent: BlockRow | undefined;
}

/**
 * Makes a complete range the next partition of the index, and adds what its blocks result in to the state of the index.
 * Returns the last block; undefined, without a change, if the range does not continue the index.
 */
export async function attachRange(
  tx: Transaction,
  { number }: BackfillRange,
  options: AttachRangeOptions,
): Promise<BlockRow | undefined> {
  const { schema, indexSchema, blocks } = options;
  // As append() does, so that another process cannot write at once.
  await tx`LOCK TABLE facts IN SHARE ROW EXCLUSIVE MODE`;
  const last = await findLast(tx, number, options);
  if (!last) return undefined;
  const table = (name: string) => sql.id(schema, name);
  for (const { table: parentTable, from, end } of partitionBounds(number, blocks)) {
    const name = `${parentTable}_p${number}`;
    await tx`ALTER TABLE ${table(name)} SET SCHEMA ${sql.id(indexSchema)}`;
    await tx.unsafe(
      `ALTER TABLE ${parentTable} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${end})`,
    );
    await tx.unsafe(`ALTER TABLE ${name} DROP CONSTRAINT ${RANGE_CHECK}`);
  }
  await tx`INSERT INTO blocks (number, hash, parent_hash, timestamp)
    SELECT number, hash, parent_hash, timestamp FROM ${table("blocks")}`;
  await tx`INSERT INTO nft_ranges (position, token, first, last, from_address, to_address)
    SELECT position, token, first, last, from_address, to_address FROM ${table("nft_ranges")}`;
  await requeueTokens(tx, table("upgraded"));
  await tx`INSERT INTO tokens (address, standard, position, known)
    SELECT address, standard, position, 0 FROM ${table("tokens")}
    ON CONFLICT (address) DO UPDATE SET position = excluded.position, standard = excluded.standard, known = 0
      WHERE tokens.position IS NULL OR tokens.position > excluded.position`;
  await tx`INSERT INTO nft_metadata (token, token_id, standard, position)
    SELECT token, token_id, standard, position FROM ${table("nft_metadata")} ORDER BY id ON CONFLICT DO NOTHING`;
  await tx`INSERT INTO nft_updates (token, first, last, block)
    SELECT token, first, last, block FROM ${table("nft_updates")}
    ON CONFLICT (token, first) DO UPDATE SET last = greatest(nft_updates.last, excluded.last),
      block = greatest(nft_updates.block, excluded.block)`;
  await addErc20(tx, schema);
  await tx`INSERT INTO nft_balances (token, token_id, owner, standard, amount, held)
    SELECT token, token_id, owner, standard, amount, held FROM ${table("nft_balances")}
    ON CONFLICT (token, token_id, owner) DO UPDATE SET standard = excluded.standard,
      amount = (nft_balances.amount::numeric + excluded.amount::numeric)::text,
      held = CASE WHEN nft_balances.amount::numeric + excluded.amount::numeric > 0 THEN 1 ELSE 0 END`;
  await tx`DELETE FROM nft_balances WHERE amount = '0'`;
  for (let from = number * blocks; from < (number + 1) * blocks; from += BLOCKS_PER_CORRECTION) {
    const end = Math.min(from + BLOCKS_PER_CORRECTION, (number + 1) * blocks);
    await correctNftOwnersBetween(tx, positionOf(from, 0), positionOf(end, 0));
  }
  await tx`DELETE FROM backfill_ranges WHERE number = ${number}`;
  await tx`DROP SCHEMA ${sql.id(schema)} CASCADE`;
  return last;
}

/** The last block of a range that continues the index. */
async function findLast(
  tx: Transaction,
  number: number,
  { schema, blocks, parent }: AttachRangeOptions,
): Promise<BlockRow | undefined> {
  const [found] = await tx`SELECT 1 FROM backfill_ranges
    WHERE number = ${number} AND is_ready AND to_regclass(${`logs_p${number}`}) IS NULL
      AND definition = (SELECT value FROM facts WHERE key = ${DEFINITION_FACT}) FOR UPDATE`;
  const [newest] = await tx<BlocksTable>`SELECT * FROM blocks ORDER BY number DESC LIMIT 1`;
  const isUnchanged = newest !== undefined && toHex(newest.hash) === parent?.hash;
  if (!found || !isUnchanged) return undefined;
  const ends = await tx<BlocksTable>`SELECT * FROM ${sql.id(schema, "blocks")}
    WHERE number IN (${number * blocks}, ${(number + 1) * blocks - 1}) ORDER BY number`;
  const [first, last] = [ends[0], ends.at(-1)].map((row) => row && blockRow(row));
  const isNext = first?.number === number * blocks && first.parentHash === parent.hash;
  return isNext && last?.number === (number + 1) * blocks - 1 ? last : undefined;
}

/** The balances of a range are changes of those of the index. */
async function addErc20(tx: Transaction, schema: string): Promise<void> {
  await tx`DECLARE range_balances NO SCROLL CURSOR FOR SELECT token, owner, amount FROM ${sql.id(schema, "erc20_balances")}`;
  for (;;) {
    const rows = await tx.unsafe<{ token: Buffer; owner: Buffer; amount: Buffer }>(
      `FETCH ${BALANCES_PER_STATEMENT} FROM range_balances`,
    );
    await addErc20Balances(
      tx,
      rows.map(({ token, owner, amount }) => {
        return { token: toHex(token), owner: toHex(owner), amount: decodeOrdered(amount) };
      }),
    );
    if (rows.length < BALANCES_PER_STATEMENT) break;
  }
  await tx.unsafe("CLOSE range_balances");
}
