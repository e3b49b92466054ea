import { performance } from "node:perf_hooks";
import { sql } from "kysely";
import type { Logger } from "../../model/logger.ts";
import { readFact } from "../facts.ts";
import type { IndexReader } from "../indexReader.ts";
import type { StateWriter } from "../indexWriter.ts";
import type { Sql } from "../postgresSql.ts";
import type { ClickHouse } from "./clickhouseConnection.ts";
import { EVENTS_FACT, parseEventState } from "./eventState.ts";
import { removeTableStatements, tablesAndViews } from "./eventTables.ts";

/** Property of an index with the tables in ClickHouse that no index uses any more, until they are dropped. */
export const UNUSED_TABLES_FACT = "unused_tables";

/** Tables that an index has left behind. */
interface UnusedTableSet {
  /** Part of their names; see `EventState`. */
  id: string;
  /** Since when they are not used, by the clock of the SQL database; ms since the epoch. */
  at: number;
}

export interface UnusedTablesOptions {
  clickHouse: Pick<ClickHouse, "execute">;
  /** Reads and writes the SQL database of the index. */
  sqlReader: IndexReader;
  sqlWriter: Pick<StateWriter, "changeState">;
  log: Pick<Logger, "warn">;
  /** The clock of the SQL database, which is the same for all processes; ms since the epoch. */
  now(): Promise<number>;
  /** A clock of this process, for intervals; ms. */
  processClock?: () => number;
}

/** Age after which no reader uses the tables of a former index any more, in ms. */
const GRACE_MS = 10 * 60_000;
/** How often to look for unused tables, in ms. */
const POLL_MS = 60_000;
const ID = /^[0-9a-f]+$/;

/**
 * Drops the tables in ClickHouse of indexes whose place another one has taken. They are listed in the SQL database of
 * the index that is used, in the transaction that gives them up, so that a crash at any time leaves them listed.
 */
export class UnusedTables {
  readonly #options: UnusedTablesOptions;
  readonly #processClock: () => number;
  #nextPollAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: UnusedTablesOptions) {
    this.#options = options;
    this.#processClock = options.processClock ?? (() => performance.now());
  }

  /** Lists tables. They are never dropped while they are those of the index. */
  async add(id: string): Promise<void> {
    const listed = await this.#read();
    const unused = [...parseUnused(listed), { id, at: await this.#options.now() }];
    await this.#save(listed, unused);
  }

  /** Drops tables at once, and removes them from the list. */
  async drop(id: string): Promise<void> {
    const listed = await this.#read();
    await this.#dropTables(id);
    const unused = parseUnused(listed).filter((each) => each.id !== id);
    await this.#save(listed, unused);
  }

  /** Begins to drop tables that no reader uses any more, unless they are those of the index, whose id is given. */
  dropOld(current: string): void {
    const { log } = this.#options;
    const now = this.#processClock();
    if (this.#running || now < this.#nextPollAt) return;
    this.#nextPollAt = now + POLL_MS;
    this.#running = this.#dropListed(current)
      .catch((error: unknown) => {
        if (!this.#isClosed)
          log.warn("unused tables in ClickHouse could not be dropped", { error: String(error) });
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  close(): void {
    this.#isClosed = true;
  }

  async #dropListed(current: string): Promise<void> {
    const listed = await this.#read();
    const unused = parseUnused(listed);
    if (unused.length === 0) return;
    const end = (await this.#options.now()) - GRACE_MS;
    const old = unused.filter(({ id, at }) => id !== current && at < end);
    if (old.length === 0) return;
    for (const { id } of old) await this.#dropTables(id);
    const kept = unused.filter((each) => !old.includes(each) && each.id !== current);
    await this.#save(listed, kept);
  }

  async #dropTables(id: string): Promise<void> {
    for (const statement of removeTableStatements(id)) await this.#options.clickHouse.execute(statement);
  }

  #read(): Promise<string | undefined> {
    return readFact(this.#options.sqlReader, UNUSED_TABLES_FACT);
  }

  /** Rejects if another process has changed the list. */
  async #save(before: string | undefined, unused: readonly UnusedTableSet[]): Promise<void> {
    await this.#options.sqlWriter.changeState({
      key: UNUSED_TABLES_FACT,
      before,
      after: JSON.stringify(unused),
    });
  }
}

/** The names of unused tables and views, by the properties of an index. */
export function unusedTableNames(properties: ReadonlyMap<string, string>): string[] {
  const unused = parseUnused(properties.get(UNUSED_TABLES_FACT));
  return unused.flatMap(({ id }) => tablesAndViews(id));
}

/** Lists the tables of an index that is given up, and those that it has listed, in another one; both are schemas. */
export async function giveUpTables(tx: Sql, schema: string, other: string): Promise<void> {
  const facts = await tx<{ key: string; value: string; at: number }>`
    SELECT key, value, (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS at
    FROM ${sql.id(schema, "facts")} WHERE key IN (${EVENTS_FACT}, ${UNUSED_TABLES_FACT})`;
  const given = facts.flatMap(({ key, value, at }) =>
    key === EVENTS_FACT ? [{ id: parseEventState(value).id, at }] : parseUnused(value),
  );
  if (given.length === 0) return;
  const [known] = await tx<{ value: string }>`
    SELECT value FROM ${sql.id(other, "facts")} WHERE key = ${UNUSED_TABLES_FACT} FOR UPDATE`;
  const text = JSON.stringify([...parseUnused(known?.value), ...given]);
  await tx`INSERT INTO ${sql.id(other, "facts")} VALUES (${UNUSED_TABLES_FACT}, ${text})
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
}

function parseUnused(text: string | undefined): UnusedTableSet[] {
  const unused: UnusedTableSet[] = text === undefined ? [] : JSON.parse(text);
  return unused.filter(({ id }) => ID.test(id));
}
