import { sql } from "kysely";
import { toHex } from "../model/hexBytes.ts";
import { giveUpTables } from "./clickhouse/unusedTables.ts";
import { errorCodeOf } from "./connectionErrors.ts";
import { REFUSES_OLDER_HOLDERS, REPLACED_HOLDER, readSchemaId } from "./indexLease.ts";
import type { PostgresLocation } from "./indexLocation.ts";
import { PENDING } from "./indexWriter.ts";
import { openPostgres } from "./postgresConnection.ts";
import type { Sql, SqlPool, Transaction } from "./postgresSql.ts";
import { rangesTable } from "./rangeLeases.ts";
import type { BlocksTable } from "./tables.ts";
import { DEFINITION_FACT, TERM_FACT } from "./upgradeProgress.ts";

/** The schemas of an index and of what is built or left beside it. */
export interface IndexSchemas {
  /** The id of the schema that is read; see `readSchemaId()`. */
  current: number | undefined;
  /** The id of the schema that is being built. */
  next: number | undefined;
  /** Names of schemas that nobody reads any more. */
  replaced: string[];
}

/** Whether the index that is built can take the place of the other one. */
export type SwitchOutcome = "switched" | "behind" | "busy";

export interface SwitchOptions {
  /** The definition of the index that is built, as it is saved. */
  definition: string;
  /** Whether it is an index of known wallets. */
  hasWallets: boolean;
  /** Whether running processes of versions that do not notice the switch must not get its lease. */
  refusesOlder: boolean;
}

/** Deadline of a transaction in ms: copying what was read of many tokens takes long. */
const DEADLINE_MS = 6 * 3_600_000;
/** How long to wait for processes that use the indexes, before trying again later. */
const LOCK_TIMEOUT = "500ms";
/** Error codes of a lock that was not available in time, and of a deadlock. */
const LOCK_ERRORS: ReadonlySet<unknown> = new Set(["55P03", "40P01"]);
const NEXT_SUFFIX = "_next";
/** Instead of the time at which metadata is read again: a client has requested it. */
const REQUESTED = 0;

/** Where an index is built that will take the place of another one. */
export function nextLocation<Location extends PostgresLocation>(
  location: Location,
  partitionBlocks: number | undefined,
): Location {
  const { partitionBlocks: _, ...others } = location;
  const next = { ...location, ...others, schema: `${location.schema}${NEXT_SUFFIX}` };
  return { ...next, ...(partitionBlocks !== undefined && { partitionBlocks }) };
}

/**
 * Lets an index that was built in a schema of its own take the place of the one that is read: the schemas are renamed in
 * one transaction. Statements that run meanwhile complete on the old tables, and later ones find the new tables by the
 * same names, so that no reader waits or fails. Leases belong to the id of a schema: a process that opened the former
 * index cannot write the new one.
 */
export class IndexSwitch {
  readonly #schema: string;
  readonly #pool: SqlPool;
  readonly #next: SqlPool;

  constructor(location: PostgresLocation, connections: number) {
    const open = (schema: string) =>
      openPostgres({ ...location, schema }, "writes", connections, undefined, DEADLINE_MS);
    this.#schema = location.schema;
    this.#pool = open(location.schema);
    this.#next = open(this.#nextSchema);
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#next.end()]);
  }

  async schemas(): Promise<IndexSchemas> {
    const rows = await this.#pool<{ id: number; name: string }>`
      SELECT oid::int8 AS id, nspname::text AS name FROM pg_namespace WHERE starts_with(nspname, ${this.#schema})`;
    const find = (name: string) => rows.find((row) => row.name === name)?.id;
    const next = find(this.#nextSchema);
    const names = rows.map(({ name }) => name);
    const ranges = next === undefined ? [`${this.#nextSchema}_range_`] : [];
    const prefixes = [`${this.#schema}_old_`, ...ranges];
    const replaced = names.filter((name) => prefixes.some((prefix) => isNumbered(name, prefix)));
    return { current: find(this.#schema), next, replaced };
  }

  /**
   * Copies most of what carryOver() copies, while the index that is read continues: what was read at blocks that both
   * indexes have. The index that is built gets no blocks meanwhile.
   */
  async carryEarlier(assertLeader: (tx: Transaction) => Promise<void>): Promise<void> {
    await this.#next.begin(async (tx) => {
      await tx`LOCK TABLE facts IN SHARE ROW EXCLUSIVE MODE`;
      const [current, next] = await this.#newestBlocks(tx);
      if (current && next) await this.#copyRead(tx, current.number < next.number ? current : next);
      await assertLeader(tx);
    });
  }

  /**
   * Copies what was read from contracts and from the web, which is not on the chain, and the known wallets. Returns false
   * if the indexes do not have the same latest block: what was read applies to the blocks of the other one.
   */
  async carryOver(assertLeader: (tx: Transaction) => Promise<void>): Promise<boolean> {
    return this.#locked(false, async (tx) => {
      const [current, next] = await this.#newestBlocks(tx);
      if (current && toHex(current.hash) !== (next && toHex(next.hash))) return false;
      await this.#copyRead(tx);
      await assertLeader(tx);
      return true;
    });
  }

  /** Adds the known wallets of the index that is read to those of the one that is built; returns how many. */
  async copyWallets(assertLeader: (tx: Transaction) => Promise<void>): Promise<number> {
    return this.#next.begin(async (tx) => {
      const count = await this.#copyWallets(tx);
      await assertLeader(tx);
      return count;
    });
  }

  /**
   * Lets the index that is built take the place of the other one, unless that has later blocks.
   */
  async switchOver(
    assertLeader: (tx: Transaction) => Promise<void>,
    { definition, hasWallets, refusesOlder }: SwitchOptions,
  ): Promise<SwitchOutcome> {
    return this.#locked<SwitchOutcome>("busy", async (tx) => {
      const [current, next] = await this.#newestBlocks(tx);
      if (!next || next.number < (current?.number ?? -1)) return "behind";
      if (hasWallets) await this.#copyWallets(tx);
      const lease = sql.id(this.#schema, "lease");
      // Waits for a writer that has verified its lease; those that have not yet will find it lost.
      const [former] = await tx<{ fence: number }>`SELECT fence FROM ${lease} FOR UPDATE`;
      await tx`UPDATE ${lease} SET holder = ${REPLACED_HOLDER}, expires_at = '-infinity'`;
      await assertLeader(tx);
      const [term] = await tx<{ fence: number }>`
        UPDATE lease SET fence = greatest(fence, ${former?.fence ?? 0}::int8) + 1, expires_at = '-infinity'
        RETURNING fence`;
      await saveFacts(tx, { [DEFINITION_FACT]: definition, [TERM_FACT]: String(term?.fence ?? 0) });
      await giveUpTables(tx, this.#schema, this.#nextSchema);
      if (refusesOlder) await tx.unsafe(REFUSES_OLDER_HOLDERS);
      await this.#forgetRanges(tx);
      await tx`ALTER SCHEMA ${sql.id(this.#schema)} RENAME TO ${sql.id(await this.#oldName(tx, this.#schema))}`;
      await tx`ALTER SCHEMA ${sql.id(this.#nextSchema)} RENAME TO ${sql.id(this.#schema)}`;
      return "switched";
    });
  }

  /** Removes an index that nobody builds any more, with its ranges. Returns false if a process does. */
  async removeNext(): Promise<boolean> {
    return this.#next.begin(async (tx) => {
      const [held] = await tx`SELECT 1 FROM lease WHERE expires_at > clock_timestamp() FOR UPDATE`;
      if (held) return false;
      await giveUpTables(tx, this.#nextSchema, this.#schema);
      const name = await this.#oldName(tx, this.#nextSchema);
      await tx`ALTER SCHEMA ${sql.id(this.#nextSchema)} RENAME TO ${sql.id(name)}`;
      return true;
    });
  }

  /** Removes the tables of schemas that were replaced, one by one. Those that are still read are removed later. */
  async removeReplaced(schemas: readonly string[]): Promise<void> {
    for (const schema of schemas) {
      const tables = await this.#pool<{ name: string }>`
        SELECT relname::text AS name FROM pg_class WHERE relnamespace = to_regnamespace(${schema})
          AND relkind IN ('r', 'p') ORDER BY relispartition DESC, relname`;
      for (const { name } of tables)
        if (!(await this.#drop((tx) => tx`DROP TABLE IF EXISTS ${sql.id(schema, name)} CASCADE`))) return;
      if (!(await this.#drop((tx) => tx`DROP SCHEMA IF EXISTS ${sql.id(schema)} CASCADE`))) return;
    }
  }

  get #nextSchema(): string {
    return `${this.#schema}${NEXT_SUFFIX}`;
  }

  /** Runs a change during which neither of the indexes gets blocks; returns `otherwise` if they are in use. */
  async #locked<Result>(otherwise: Result, change: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const facts = sql.id(this.#schema, "facts");
    try {
      return await this.#next.begin(async (tx) => {
        await tx.unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
        await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`purse ${this.#schema}`}, 0))`;
        await tx`LOCK TABLE ${facts}, facts IN SHARE ROW EXCLUSIVE MODE`;
        return change(tx);
      });
    } catch (error) {
      if (LOCK_ERRORS.has(errorCodeOf(error))) return otherwise;
      throw error;
    }
  }

  /** The latest block of the index that is read, and of the one that is built. */
  async #newestBlocks(tx: Sql): Promise<(BlocksTable | undefined)[]> {
    const newest = async (schema: string) => {
      const [row] = await tx<BlocksTable>`
        SELECT * FROM ${sql.id(schema, "blocks")} ORDER BY number DESC LIMIT 1`;
      return row;
    };
    return [await newest(this.#schema), await newest(this.#nextSchema)];
  }

  /** With a block, only what was read up to it, and only if it is one of both indexes. */
  async #copyRead(tx: Sql, upTo?: BlocksTable): Promise<void> {
    const hasBlock = (schema: string, { number, hash }: BlocksTable) =>
      sql`EXISTS (SELECT FROM ${sql.id(schema, "blocks")} AS common
        WHERE common.number = ${number}::int8 AND common.hash = ${hash}::bytea)`;
    // Each statement sees one state of the other index.
    const isOfBoth = (block: string) =>
      upTo
        ? sql`AND known.${sql.id(block)} <= ${upTo.number}::int8
            AND ${hasBlock(this.#schema, upTo)} AND ${hasBlock(this.#nextSchema, upTo)}`
        : sql``;
    await tx`
      UPDATE tokens SET name = known.name, symbol = known.symbol, decimals = known.decimals, known = 1,
        symbol_key = known.symbol_key, name_key = known.name_key, read_block = known.read_block, read_at = known.read_at
      FROM ${sql.id(this.#schema, "tokens")} AS known
      WHERE known.address = tokens.address AND known.known = 1
        AND (tokens.known = 0 OR coalesce(tokens.read_at, -1) < known.read_at) ${isOfBoth("read_block")}`;
    await tx`
      INSERT INTO tokens (address, standard, position, name, symbol, decimals, known, symbol_key, name_key, read_block,
        read_at)
      SELECT address, standard, position, name, symbol, decimals, known, symbol_key, name_key, read_block, read_at
      FROM ${sql.id(this.#schema, "tokens")} AS known
      WHERE position IS NULL ${isOfBoth("read_block")} ON CONFLICT DO NOTHING`;
    await tx`
      UPDATE nft_metadata SET uri = known.uri, uri_block = known.uri_block, metadata = known.metadata,
        synced_at = known.synced_at, looked_at = known.looked_at, problem = known.problem, tries = known.tries,
        due = known.due, words = known.words
      FROM ${sql.id(this.#schema, "nft_metadata")} AS known
      WHERE known.token = nft_metadata.token AND known.token_id = nft_metadata.token_id
        AND (known.uri_block IS NOT NULL AND (nft_metadata.uri_block IS NULL OR nft_metadata.uri_block < known.uri_block
            OR coalesce(nft_metadata.looked_at, -1) < known.looked_at)
          OR known.due = ${REQUESTED}::int8) ${isOfBoth("uri_block")}`;
  }

  async #copyWallets(tx: Sql): Promise<number> {
    const { count } = await tx`INSERT INTO watched
      SELECT address, ${PENDING}::int8, ${Number.MAX_SAFE_INTEGER}::int8
      FROM ${sql.id(this.#schema, "watched")} ON CONFLICT DO NOTHING`;
    return count;
  }

  /** Forgets ranges, and continues their numbers: a process that froze with a lease must not find its range again. */
  async #forgetRanges(tx: Transaction): Promise<void> {
    const [tables] = await tx<{ former: string | null; next: string | null }>`
      SELECT to_regclass(${`${this.#schema}.backfill_ranges`})::text AS former, to_regclass('backfill_ranges')::text AS next`;
    if (tables?.next) await tx`DELETE FROM backfill_ranges`;
    if (!tables?.former) return;
    await tx.unsafe(rangesTable(await readSchemaId(tx)));
    // Those of earlier versions began at 1 in each index.
    await tx`SELECT setval(pg_get_serial_sequence('backfill_ranges', 'id'),
      greatest(nextval(pg_get_serial_sequence('backfill_ranges', 'id')),
        nextval(pg_get_serial_sequence(${tables.former}::text, 'id'))))`;
  }

  /** The name that a schema gets when nobody reads it any more. */
  async #oldName(tx: Sql, schema: string): Promise<string> {
    const [row] = await tx<{ id: number }>`
      SELECT oid::int8 AS id FROM pg_namespace WHERE nspname = ${schema}`;
    return `${this.#schema}_old_${row?.id ?? 0}`;
  }

  /** Returns false if a process uses what would be removed. */
  async #drop(change: (tx: Transaction) => Promise<unknown>): Promise<boolean> {
    try {
      await this.#pool.begin(async (tx) => {
        await tx.unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
        await change(tx);
      });
      return true;
    } catch (error) {
      if (LOCK_ERRORS.has(errorCodeOf(error))) return false;
      throw error;
    }
  }
}

/** Whether a name is a prefix and a number. */
function isNumbered(name: string, prefix: string): boolean {
  return name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length));
}

async function saveFacts(tx: Sql, facts: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(facts))
    await tx`INSERT INTO facts VALUES (${key}, ${value}) ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
}
