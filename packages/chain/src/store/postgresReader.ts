import { IndexReadError } from "./indexErrors.ts";
import type { PostgresLocation } from "./indexLocation.ts";
import {
  type IndexReader,
  POSTGRES,
  READ_LIMITS,
  type ReadKind,
  type ReadLimits,
  type SqlValue,
} from "./indexReader.ts";
import { openPostgres } from "./postgresConnection.ts";
import type { SqlPool } from "./postgresSql.ts";
import { currentGroup } from "./requestGroup.ts";

const KEPT_TEXTS = 500;
/** Reads that may be under way or wait for a connection: all, and those for one client. */
const MAX_READS = 200;
const MAX_READS_OF_GROUP = 50;
/** What PostgreSQL answers for a statement that ran longer than `statement_timeout`. */
const QUERY_CANCELED = "57014";

export class PostgresReader implements IndexReader {
  readonly dialect = POSTGRES;
  readonly #sql: Readonly<Record<ReadKind, SqlPool>>;
  readonly #numbered = new Map<string, string>();

  constructor(sql: Readonly<Record<ReadKind, SqlPool>>) {
    this.#sql = sql;
  }

  async all<Row>(text: string, parameters: readonly SqlValue[], kind: ReadKind = "lookup"): Promise<Row[]> {
    return [...(await this.#run(text, parameters, kind))] as Row[];
  }

  async change(text: string, parameters: readonly SqlValue[]): Promise<number> {
    return (await this.#run(text, parameters, "lookup")).count;
  }

  #run(text: string, parameters: readonly SqlValue[], kind: ReadKind) {
    let numbered = this.#numbered.get(text);
    if (numbered === undefined) {
      let count = 0;
      numbered = text.replaceAll("?", () => `$${++count}`);
      if (this.#numbered.size >= KEPT_TEXTS) this.#numbered.clear();
      this.#numbered.set(text, numbered);
    }
    return this.#sql[kind].unsafe(numbered, parameters, { prepare: true });
  }

  async close(): Promise<void> {
    const all = new Set([this.#sql.lookup, this.#sql.list]);
    await Promise.all([...all].map((sql) => sql.end()));
  }
}

/**
 * For requests: look-ups and lists have connections of their own, statements end at the deadline of their kind, and
 * what one client asks for at once is bounded.
 */
export function postgresReads(
  place: PostgresLocation,
  connections: number,
  limits: ReadLimits = READ_LIMITS,
): IndexReader {
  const lists = Math.max(1, Math.floor(connections / 2));
  const open = (kind: ReadKind, count: number) => openPostgres(place, count, limits[kind].timeoutMs);
  const reader = new PostgresReader({
    lookup: open("lookup", Math.max(1, connections - lists)),
    list: open("list", lists),
  });
  return new BoundedReader(reader, limits);
}

class BoundedReader implements IndexReader {
  readonly dialect = POSTGRES;
  readonly #reader: PostgresReader;
  readonly #limits: ReadLimits;
  readonly #running = new Map<string | undefined, number>();
  #all = 0;

  constructor(reader: PostgresReader, limits: ReadLimits) {
    this.#reader = reader;
    this.#limits = limits;
  }

  async all<Row>(text: string, parameters: readonly SqlValue[], kind?: ReadKind): Promise<Row[]> {
    const group = currentGroup();
    const own = this.#running.get(group) ?? 0;
    if (this.#all >= MAX_READS || (group !== undefined && own >= MAX_READS_OF_GROUP))
      throw new IndexReadError("busy", `${this.#all} reads are under way or wait already`);
    this.#all += 1;
    this.#running.set(group, own + 1);
    try {
      return await this.#reader.all<Row>(text, parameters, kind);
    } catch (error) {
      if (!isCanceled(error)) throw error;
      throw new IndexReadError(
        "late",
        `it took longer than ${this.#limits[kind ?? "lookup"].timeoutMs / 1000} s`,
      );
    } finally {
      this.#all -= 1;
      const left = (this.#running.get(group) ?? 1) - 1;
      if (left > 0) this.#running.set(group, left);
      else this.#running.delete(group);
    }
  }

  change(): Promise<number> {
    return Promise.reject(new Error("this reader only reads"));
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}

function isCanceled(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === QUERY_CANCELED;
}
