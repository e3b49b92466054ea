import type Database from "better-sqlite3";

/** Migrations of the internal tables. Each runs once; `user_version` contains the number of completed ones. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE purse_classes (class_name TEXT PRIMARY KEY, schema TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE purse_claims (
    scope TEXT NOT NULL, value TEXT NOT NULL, owner TEXT NOT NULL, expires_at INTEGER,
    PRIMARY KEY (scope, value)
  ) WITHOUT ROWID;
  CREATE INDEX purse_claims_owner ON purse_claims (scope, owner);
  CREATE INDEX purse_claims_expiry ON purse_claims (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE purse_relations (
    class_name TEXT NOT NULL, key TEXT NOT NULL, owner_id TEXT NOT NULL, related_id TEXT NOT NULL,
    PRIMARY KEY (class_name, key, owner_id, related_id)
  ) WITHOUT ROWID;
  CREATE INDEX purse_relations_related ON purse_relations (class_name, key, related_id);
  `,
  `
  CREATE TABLE purse_counts (
    scope TEXT NOT NULL, value TEXT NOT NULL, n INTEGER NOT NULL, until INTEGER NOT NULL,
    PRIMARY KEY (scope, value)
  ) WITHOUT ROWID;
  `,
  `
  CREATE TABLE purse_requests (
    key TEXT PRIMARY KEY, content TEXT NOT NULL, owner TEXT NOT NULL, running_until INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, repeatable INTEGER NOT NULL, answer TEXT
  ) WITHOUT ROWID;
  CREATE INDEX purse_requests_expiry ON purse_requests (expires_at);
  `,
];

/** The layout version of this release. */
export const LAYOUT_VERSION = MIGRATIONS.length;

export function migrate(database: Database.Database): void {
  const version = Number(database.pragma("user_version", { simple: true }));
  if (version > MIGRATIONS.length) {
    throw new Error(
      `The database was written by a newer Purse (layout ${version}, this one knows ${MIGRATIONS.length}): start that version, or restore a backup from before`,
    );
  }
  database.transaction(() => {
    for (const step of MIGRATIONS.slice(version)) database.exec(step);
    database.pragma(`user_version = ${MIGRATIONS.length}`);
  })();
}
