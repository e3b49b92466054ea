import { rm } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { createTempFolder } from "../../test/indexDatabase.ts";
import { SQLITE_APPROVALS } from "./schema.ts";
import { openSqliteFile } from "./sqliteFile.ts";

it("approvals of an owner are found by their index on SQLite", async () => {
  const folder = await createTempFolder();
  const path = join(folder, "chain.sqlite");
  openSqliteFile(path).close();
  const db = new Database(path, { readonly: true });
  const plan = db
    .prepare(
      `EXPLAIN QUERY PLAN SELECT address, max(position) FROM logs
       WHERE ${SQLITE_APPROVALS} AND topic1 = ? GROUP BY address, topic0, topic2, topic3`,
    )
    .all(Buffer.alloc(32));
  expect(JSON.stringify(plan)).toContain("USING INDEX approvals_by_owner (topic1=?)");
  db.close();
  await rm(folder, { recursive: true, force: true });
});
