/* A server and a database of each kind for the simulated chain, with the sizes of its tables. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { indexLocationOf } from "../../../packages/chain/src/createChainService.ts";
import { startClickHouse } from "../../../tests/clickhouse/startClickHouse.mjs";
import { newDatabase, startPostgres } from "../../../tests/support/postgresServer.ts";
import { clickHouseSizes, waitForMerges } from "./clickHouseSizes.ts";
import { CHAIN, type DatabaseOption } from "./measureLists.ts";
import { postgresSizes } from "./postgresRows.ts";

export const ENGINES = ["clickhouse", "postgres", "sqlite"] as const;
export type Engine = (typeof ENGINES)[number];

export interface ScaleDatabase {
  option: DatabaseOption;
  /** Bytes by table, with indexes; those of events in ClickHouse are in `events`. */
  sizes(): Promise<{ sql: Map<string, number>; events: Map<string, number> }>;
  /** Waits for work that the database does in the background. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/** Settings of a server for large indexes; rows of new partitions need no log of writes. */
const POSTGRES_SETTINGS = [
  ...["shared_buffers=2GB", "maintenance_work_mem=1GB", "work_mem=256MB", "max_wal_size=4GB"],
  ...["wal_level=minimal", "max_wal_senders=0", "autovacuum=off", "jit=off"],
];

/** With a folder, the rows are there, and are kept; PostgreSQL has no such folder. */
export async function startDatabase(
  engine: Engine,
  partitionBlocks: number,
  kept?: string,
): Promise<ScaleDatabase> {
  if (engine === "postgres") {
    if (kept !== undefined) throw new Error("rows in PostgreSQL cannot be kept");
    const server = await startPostgres({ durable: true, more: POSTGRES_SETTINGS });
    const url = await newDatabase(server.url);
    const option = { kind: "postgres", url, connections: 4, partitionBlocks } as const;
    return {
      option,
      sizes: async () => ({ sql: await postgresSizes(url, `chain_${CHAIN}`), events: new Map() }),
      settle: async () => undefined,
      stop: () => server.stop(),
    };
  }
  const folder = kept ? join(kept, "sqlite") : mkdtempSync(join(tmpdir(), "purse-bench-scale-"));
  mkdirSync(folder, { recursive: true });
  const own =
    engine === "clickhouse" && !process.env.CLICKHOUSE_URL
      ? await startClickHouse({ folder: kept && join(kept, "clickhouse") })
      : undefined;
  const clickHouseUrl = engine === "clickhouse" ? (own?.url ?? process.env.CLICKHOUSE_URL) : undefined;
  const option = { kind: "sqlite", folder, ...(clickHouseUrl && { clickHouseUrl }) } as const;
  return {
    option,
    sizes: async () => ({
      sql: sqliteSizes(option),
      events: clickHouseUrl ? await clickHouseSizes(clickHouseUrl) : new Map(),
    }),
    settle: async () => {
      if (clickHouseUrl) await waitForMerges(clickHouseUrl);
    },
    async stop() {
      await own?.stop();
      if (kept === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Sizes of tables with their indexes. */
function sqliteSizes(option: DatabaseOption): Map<string, number> {
  const location = indexLocationOf(option, CHAIN);
  if (location.kind !== "sqlite") return new Map();
  const db = new Database(location.path, { readonly: true });
  const rows = db
    .prepare<[], { name: string; bytes: number }>(
      `SELECT tbl_name AS name, sum(pgsize) AS bytes FROM dbstat
        JOIN sqlite_schema ON sqlite_schema.name = dbstat.name WHERE aggregate = TRUE GROUP BY tbl_name`,
    )
    .all();
  db.close();
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}
