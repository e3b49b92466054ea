import { sql } from "kysely";
import { toHex } from "../model/hexBytes.ts";
import { giveUpTables } from "./clickhouse/unusedTables.ts";
import { errorCodeOf, isLockError, LOCK_TIMEOUT, UNDEFINED_TABLE } from "./connectionErrors.ts";
import { REFUSES_OLDER_HOLDERS, REPLACED_HOLDER } from "./indexLease.ts";
import type { IndexLocation, PostgresLocation } from "./indexLocation.ts";
import type { IndexReader } from "./indexReader.ts";
import { NftUpdates } from "./nftUpdates.ts";
import { type CopiedSchemas, copyOffChainRows, copyWallets } from "./offChainRows.ts";
import { openPostgres } from "./postgresConnection.ts";
import { PostgresReader } from "./postgresReader.ts";
import type { Sql, SqlPool, Transaction } from "./postgresSql.ts";
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
const NEXT_SUFFIX = "_next";
/** How often an index that is built can be replaced while a refresh is requested in it. */
const MAX_REQUESTS = 5;

/** Where an index is built that will take the place of another one. */
export function nextLocation<Location extends PostgresLocation>(
  location: Location,
  partitionBlocks: number | undefined,
): Location {
  const { partitionBlocks: _, ...others } = location;
  const next = { ...location, ...others, schema: `${location.schema}${NEXT_SUFFIX}` };
  return { ...next, ...(partitionBlocks !== undefined && { partitionBlocks }) };
}

/** Whether an index is being built that will take the place of the one at a location. */
export async function isReplacementBuilt(reader: IndexReader, location: IndexLocation): Promise<boolean> {
  if (location.kind === "sqlite") return false;
  const { schema } = nextLocation(location, undefined);
  const [row] = await reader.all(
    sql<{ found: boolean }>`SELECT to_regnamespace(quote_ident(${schema})) IS NOT NULL AS found`,
  );
  return row?.found ?? false;
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
    // Earlier versions indexed ranges in advance, in schemas of their own.
    const prefixes = ["_old_", "_range_", `${NEXT_SUFFIX}_range_`].map((end) => this.#schema + end);
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
      if (current && next)
        await copyOffChainRows(tx, this.#schemas, current.number < next.number ? current : next);
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
      await copyOffChainRows(tx, this.#schemas);
      await assertLeader(tx);
      return true;
    });
  }

  /**
   * Requests a refresh of an NFT or of a collection also in the index that is built: it can take the place of the other
   * one, with what was copied before the request. `requestedIn` is the id of the schema in which it was requested first.
   */
  async repeatRefresh(
    refreshed: { token: string; tokenId?: string },
    requestedIn: number | undefined,
  ): Promise<void> {
    const requestIn = (sql: SqlPool) =>
      new NftUpdates(new PostgresReader({ lookup: sql, list: sql })).requestRefresh(refreshed);
    for (let attempt = 1; ; attempt++) {
      const { current, next } = await this.schemas();
      try {
        if (current !== requestedIn) await requestIn(this.#pool);
        if (next !== undefined) await requestIn(this.#next);
        return;
      } catch (error) {
        if (errorCodeOf(error) !== UNDEFINED_TABLE || attempt === MAX_REQUESTS) throw error;
      }
    }
  }

  /** Adds the known wallets of the index that is read to those of the one that is built; returns how many. */
  async copyWallets(assertLeader: (tx: Transaction) => Promise<void>): Promise<number> {
    return this.#next.begin(async (tx) => {
      const count = await copyWallets(tx, this.#schemas);
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
      if (hasWallets) await copyWallets(tx, this.#schemas);
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
      await tx`ALTER SCHEMA ${sql.id(this.#schema)} RENAME TO ${sql.id(await this.#oldName(tx, this.#schema))}`;
      await tx`ALTER SCHEMA ${sql.id(this.#nextSchema)} RENAME TO ${sql.id(this.#schema)}`;
      return "switched";
    });
  }

  /** Removes an index that nobody builds any more. Returns false if a process does. */
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

  get #schemas(): CopiedSchemas {
    return { former: this.#schema, next: this.#nextSchema };
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
      if (isLockError(error)) return otherwise;
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
      if (isLockError(error)) return false;
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
