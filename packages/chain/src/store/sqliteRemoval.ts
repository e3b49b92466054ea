import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import type Database from "better-sqlite3";
import { toBytes } from "../model/hexBytes.ts";
import { blockOf, NULL_ADDRESS, positionOf } from "../model/rows.ts";
import { type EventRemoval, NO_REMOVAL, type Removal } from "./eventRemoval.ts";
import { type CountParameters, listCountChange } from "./listCounts.ts";
import { EVENT_TABLES, PARTITIONS_VERSION, removalStatements } from "./schema.ts";
import { DEFINITION_FACT, KEPT_FACT } from "./upgradeProgress.ts";

/** Blocks whose events are removed together: each removal invalidates the totals and ranks that readers remember. */
const BATCH_BLOCKS = 1_000;
/** Rows of a table, and blocks, whose events one transaction removes; at least one block. */
const STEP_ROWS = 2_000;
const STEP_BLOCKS = 10_000;
/** How long one call removes events, in ms; longer if so many blocks are left that indexing has to wait for it. */
const STEP_MS = 100;
const LATE_STEP_MS = 1_000;
const LATE_BLOCKS = 10_000;

/**
 * Removes old events from a SQLite index in small transactions: each also changes the lengths of lists, saves what is
 * needed of the transfers of NFTs, and moves the first block whose events are kept.
 */
export class SqliteRemoval implements EventRemoval {
  readonly #db: Database.Database;
  readonly #blocks: number;
  #prepared: ReturnType<typeof prepare> | undefined;

  /** `blocks` are removed together: from a multiple of it up to the next one. */
  constructor(db: Database.Database, blocks = BATCH_BLOCKS) {
    this.#db = db;
    this.#blocks = blocks;
  }

  async removeBefore(block: number): Promise<Removal> {
    const end = block - (block % this.#blocks);
    let from = keptFrom(this.#db) ?? firstBlock(this.#db);
    if (from === undefined || from >= end) return NO_REMOVAL;
    this.#prepared ??= this.#prepare();
    const endsAt = performance.now() + (end - from > LATE_BLOCKS ? LATE_STEP_MS : STEP_MS);
    for (;;) {
      from = this.#removeFrom(from, end, this.#prepared);
      if (from >= end) return { isRemoved: true, hasMore: false };
      if (performance.now() >= endsAt) return { isRemoved: false, hasMore: true };
      // The indexers of other chains use the same thread.
      await setImmediate();
    }
  }

  /** Removes the events of the next blocks in one transaction; returns the block after them. */
  #removeFrom(from: number, end: number, statements: ReturnType<typeof prepare>): number {
    const start = positionOf(from, 0);
    const limits = statements.limits.flatMap((limit) => {
      const row = limit.get(start, STEP_ROWS);
      return row ? [Math.max(from + 1, blockOf(row.position))] : [];
    });
    const next = Math.min(end, from + STEP_BLOCKS, ...limits);
    const range = { from: start, end: positionOf(next, 0) };
    this.#db
      .transaction(() => {
        statements.saveTransfers.run({ ...range, none: toBytes(NULL_ADDRESS) });
        statements.count.run({ ...range, sign: -1 });
        statements.removeEmptyCounts.run();
        for (const statement of statements.removals) statement.run(range);
        if (keptFrom(this.#db) === undefined) raiseVersion(this.#db);
        statements.saveProperty.run(KEPT_FACT, String(next));
      })
      .immediate();
    return next;
  }

  /** Creates what an index needs before its first removal. */
  #prepare(): ReturnType<typeof prepare> {
    this.#db
      .transaction(() => {
        for (const statement of removalStatements({ integer: "INTEGER", bytes: "BLOB" }))
          this.#db.exec(statement);
        this.#db.exec("CREATE INDEX IF NOT EXISTS list_counts_none ON list_counts (list) WHERE n = 0");
      })
      .immediate();
    return prepare(this.#db);
  }
}

/** Prevents processes of earlier versions, which expect all events, from writing the index. */
function raiseVersion(db: Database.Database): void {
  const text = readProperty(db, DEFINITION_FACT);
  if (text === undefined) return;
  const definition: { layout: number; revision?: number } = JSON.parse(text);
  const { layout, revision = layout } = definition;
  if (layout >= PARTITIONS_VERSION) return;
  const saved = { ...definition, layout: layout + PARTITIONS_VERSION, revision };
  db.prepare("UPDATE facts SET value = ? WHERE key = ?").run(JSON.stringify(saved), DEFINITION_FACT);
}

/** The first block whose events are kept; undefined if none have been removed. */
export function keptFrom(db: Database.Database): number | undefined {
  const kept = readProperty(db, KEPT_FACT);
  return kept === undefined ? undefined : Number(kept);
}

/** Forgets that events have been removed, when the index is built anew. */
export function forgetRemoval(db: Database.Database): void {
  if (keptFrom(db) === undefined) return;
  db.exec("DELETE FROM dropped_nfts");
  db.prepare("DELETE FROM facts WHERE key = ?").run(KEPT_FACT);
}

function readProperty(db: Database.Database, key: string): string | undefined {
  return db.prepare<[string], { value: string }>("SELECT value FROM facts WHERE key = ?").get(key)?.value;
}

function firstBlock(db: Database.Database): number | undefined {
  const { first } =
    db.prepare<[], { first: number | null }>("SELECT min(number) AS first FROM blocks").get() ?? {};
  return first ?? undefined;
}

const RANGE: CountParameters = { from: "@from", end: "@end", sign: "@sign" };

function prepare(db: Database.Database) {
  return {
    limits: (["transactions", "logs", "nft_transfers", "internal_transfers"] as const).map((table) =>
      db.prepare<[number, number], { position: number }>(
        `SELECT position FROM ${table} WHERE position >= ? ORDER BY position LIMIT 1 OFFSET ?`,
      ),
    ),
    // Of each NFT the last transfer, the last mint and the first transfer; ranges are saved in ascending order.
    saveTransfers: db.prepare(
      `INSERT INTO dropped_nfts (token, token_id, receiver, received, minted, first)
       SELECT token, token_id, to_address, position, minted, first FROM (
         SELECT token, token_id, to_address, position,
           max(position) FILTER (WHERE from_address = @none) OVER nft AS minted, min(position) OVER nft AS first,
           row_number() OVER (PARTITION BY token, token_id ORDER BY position DESC, part DESC) AS number
         FROM nft_transfers WHERE position >= @from AND position < @end
         WINDOW nft AS (PARTITION BY token, token_id))
       WHERE number = 1
       ON CONFLICT (token, token_id) DO UPDATE SET receiver = excluded.receiver, received = excluded.received,
         minted = coalesce(excluded.minted, minted)`,
    ),
    count: db.prepare(listCountChange(RANGE, "X''")),
    removeEmptyCounts: db.prepare("DELETE FROM list_counts WHERE n = 0"),
    removals: EVENT_TABLES.map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE position >= @from AND position < @end`),
    ),
    saveProperty: db.prepare("INSERT OR REPLACE INTO facts VALUES (?, ?)"),
  };
}
