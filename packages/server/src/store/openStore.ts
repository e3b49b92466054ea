import { openPostgresStore } from "./postgres/postgresStore.ts";
import { openSqliteStore } from "./sqlite/sqliteStore.ts";
import type { Store } from "./store.ts";

/** Which database, and where. */
export type DatabaseConfig =
  | { kind: "sqlite"; path: string }
  /** `url` as in `postgres://user:password@host:5432/database`; `connections` at most, of this process. */
  | { kind: "postgres"; url: string; connections: number; replicaUrl?: string };

export function openStore(config: DatabaseConfig): Promise<Store> {
  return config.kind === "sqlite" ? openSqliteStore(config.path) : openPostgresStore(config);
}
