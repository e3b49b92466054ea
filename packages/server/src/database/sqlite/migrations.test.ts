import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { migrate } from "./migrations.ts";

it("migrate() refuses a database of a newer version, says what to do, and changes nothing", () => {
  const database = new Database(":memory:");
  database.pragma("user_version = 1000");
  expect(() => migrate(database)).toThrow(
    /newer Purse \(layout 1000, this one knows \d+\): start that version, or restore a backup/,
  );
  expect(database.prepare("SELECT count(*) FROM sqlite_schema").pluck().get()).toBe(0);
  database.close();
});
