import type { Write } from "../store.ts";
import { postgresDialect } from "./dialect.ts";
import type { ExclusivePool } from "./pools.ts";

/** New rows after which a table is looked at for the first time. */
const FIRST = 1_000;

/**
 * Keeps the planner's picture of tables that grow quickly: PostgreSQL's own comes a minute late, and until then it takes
 * a table of a hundred thousand rows for an empty one.
 */
export class Statistics {
  readonly #pool: ExclusivePool;
  readonly #grown = new Map<string, { rows: number; next: number }>();

  constructor(pool: ExclusivePool) {
    this.#pool = pool;
  }

  count(group: readonly Write[]): void {
    for (const write of group) {
      if (write.kind !== "create" && write.kind !== "restore") continue;
      const { table } = write.schema;
      const known = this.#grown.get(table) ?? { rows: 0, next: FIRST };
      known.rows += 1;
      this.#grown.set(table, known);
      if (known.rows < known.next) continue;
      known.next = known.rows * 2;
      // Only plans get better by it: where it cannot be done, the database does it later by itself.
      this.#pool
        .lend((session) => session.command(`ANALYZE ${postgresDialect.identifier(table)}`))
        .catch(() => undefined);
    }
  }
}
