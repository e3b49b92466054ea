import { performance } from "node:perf_hooks";
import type { Logger } from "../model/logger.ts";
import type { SqlPool } from "./postgresSql.ts";

/** How often to look for tables with outdated statistics, in ms. */
const INTERVAL_MS = 60_000;
/** As autovacuum has them: the share and the number of rows by which a table has changed. */
const [CHANGED_SHARE, CHANGED_ROWS] = [0.1, 50];
/** The first version of PostgreSQL that can analyze a partitioned table without its partitions. */
const ONLY_VERSION = 180_000;

/**
 * Keeps the statistics of partitioned tables, from which PostgreSQL plans queries of all partitions: autovacuum analyzes
 * the partitions only. Neither reads nor writes wait for it.
 */
export class PartitionStatistics {
  readonly #pool: SqlPool;
  readonly #log: Logger | undefined;
  #nextAt = 0;
  #running: Promise<void> | undefined;

  constructor(pool: SqlPool, log?: Logger) {
    this.#pool = pool;
    this.#log = log;
  }

  /** Begins to update outdated statistics, at most once a minute and one update at a time. */
  refresh(): void {
    if (this.#running || performance.now() < this.#nextAt) return;
    this.#nextAt = performance.now() + INTERVAL_MS;
    this.#running = this.update()
      .then(
        () => undefined,
        // Plans are made from the previous ones.
        (error: unknown) => this.#log?.debug("statistics were not updated", { error: String(error) }),
      )
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Waits for a running update, whose locks changes of the partitions would wait for. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Analyzes the partitioned tables whose partitions have grown or shrunk much since; returns their names. */
  async update(): Promise<string[]> {
    const outdated = await this.#pool<{ name: string; version: number }>`
      SELECT parent.relname::text AS name, current_setting('server_version_num')::int4 AS version
      FROM pg_class AS parent JOIN pg_inherits ON inhparent = parent.oid JOIN pg_class AS part ON part.oid = inhrelid
      WHERE parent.relnamespace = to_regnamespace(quote_ident(current_schema())) AND parent.relkind = 'p'
      GROUP BY parent.oid, parent.relname, parent.reltuples
      HAVING abs(sum(greatest(part.reltuples, 0)) - greatest(parent.reltuples, 0))
        > ${CHANGED_ROWS}::float8 + ${CHANGED_SHARE}::float8 * greatest(parent.reltuples, 0)
      ORDER BY name`;
    for (const { name, version } of outdated)
      await this.#pool.unsafe(`ANALYZE (SKIP_LOCKED) ${version >= ONLY_VERSION ? "ONLY " : ""}${name}`);
    return outdated.map(({ name }) => name);
  }
}
