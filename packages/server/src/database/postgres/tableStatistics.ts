import type { Write } from "../store.ts";
import { postgresDialect } from "./dialect.ts";
import type { ExclusivePool } from "./pools.ts";

/** Number of new rows after which a table is first analyzed. */
const FIRST_ANALYZE_ROWS = 100;

/**
 * Updates the statistics of quickly growing tables. PostgreSQL's autovacuum runs up to a minute late, and until then
 * the planner assumes that a table with a hundred thousand rows is empty.
 */
export class TableStatistics {
  readonly #pool: ExclusivePool;
  readonly #growth = new Map<string, { rows: number; analyzeAt: number }>();

  constructor(pool: ExclusivePool) {
    this.#pool = pool;
  }

  count(writes: readonly Write[]): void {
    for (const write of writes) {
      if (write.kind !== "create" && write.kind !== "restore") continue;
      const { table } = write.schema;
      const growth = this.#growth.get(table) ?? { rows: 0, analyzeAt: FIRST_ANALYZE_ROWS };
      growth.rows += 1;
      this.#growth.set(table, growth);
      if (growth.rows < growth.analyzeAt) continue;
      growth.analyzeAt = growth.rows * 2;
      void this.update(table);
    }
  }

  /** For new columns and indexes too: only then does the planner know how many values they have. */
  async update(table: string): Promise<void> {
    // This only improves query plans; if it fails, autovacuum will do it later.
    await this.#pool
      .withSession((session) => session.command(`ANALYZE ${postgresDialect.identifier(table)}`))
      .catch(() => undefined);
  }
}
