import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import { LAYOUT_VERSION } from "../database/sqlite/migrations.ts";
import { backupDatabase, restoreDatabase } from "./backup.ts";
import type { Progress } from "./progress.ts";
import { removeAbandoned } from "./unfinishedFiles.ts";

const SILENT: Progress = { report: () => undefined, done: () => undefined };
/** Kilobytes: pages for several steps of a backup. */
const LARGE = 14_000;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function createDatabase(kilobytes = 40) {
  const folder = mkdtempSync(join(tmpdir(), "purse-backup-"));
  folders.push(folder);
  const path = join(folder, "purse.sqlite");
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  database.exec(`CREATE TABLE rows (text TEXT); PRAGMA user_version = ${LAYOUT_VERSION}`);
  const insert = database.prepare("INSERT INTO rows VALUES (?)");
  database.transaction(() => {
    for (let i = 0; i < kilobytes; i++) insert.run("x".repeat(1_000));
  })();
  return { folder, path, copy: join(folder, "copy.sqlite"), database, insert };
}

function countRows(path: string): number {
  const database = new Database(path, { readonly: true });
  const count = Number(database.prepare("SELECT count(*) FROM rows").pluck().get());
  database.close();
  return count;
}

describe("a backup of SQLite", () => {
  it("ends while others write, and has what was written before it began", async () => {
    const { path, copy, database, insert } = createDatabase(LARGE);
    const reported: number[] = [];
    await backupDatabase(path, copy, {
      ...SILENT,
      report(_, copied) {
        // Each write would begin the copy anew.
        if (reported.length > 50) throw new Error("it does not end");
        reported.push(copied);
        insert.run("later");
      },
    });
    database.close();
    expect(reported.length).toBeGreaterThan(2);
    expect(reported).toEqual(reported.toSorted((a, b) => a - b));
    expect(countRows(copy)).toBe(LARGE);
    expect(countRows(path)).toBe(LARGE + reported.length);
  });

  it("leaves nothing behind if it fails, and keeps an earlier copy", async () => {
    const { folder, path, copy, database } = createDatabase(LARGE);
    writeFileSync(copy, "earlier");
    const failing = () => {
      throw new Error("the disk is full");
    };
    await expect(backupDatabase(path, copy, { ...SILENT, report: failing })).rejects.toThrow(
      "the disk is full",
    );
    database.close();
    expect(readdirSync(folder).sort()).toEqual(["copy.sqlite", "purse.sqlite"]);
    expect(readFileSync(copy, "utf8")).toBe("earlier");
  });

  it("removes what one that was killed has left", async () => {
    const { folder, path, copy, database } = createDatabase();
    for (const suffix of ["", "-journal"]) writeFileSync(`${copy}.unfinished${suffix}`, "half");
    await backupDatabase(path, copy, SILENT);
    database.close();
    expect(readdirSync(folder).sort()).toEqual(["copy.sqlite", "purse.sqlite"]);
  });

  it("can be restored, and is then the database without its checksum", async () => {
    const { folder, path, copy, database } = createDatabase();
    await backupDatabase(path, copy, SILENT);
    database.close();
    const restored = join(folder, "restored.sqlite");
    await restoreDatabase(copy, restored, false);
    expect(countRows(restored)).toBe(40);
    expect(readFileSync(copy, "latin1")).toMatch(/\nPurse backup, SHA-256 [0-9a-f]{64}$/);
    expect(readFileSync(restored, "latin1")).not.toContain("Purse backup");
    // As one of an earlier version.
    await restoreDatabase(restored, join(folder, "again.sqlite"), false);
  });

  it.each([
    [
      "two bytes in a page",
      (bytes: Buffer) => bytes.fill("yz", bytes.indexOf("xxxx"), bytes.indexOf("xxxx") + 2),
    ],
    ["a byte of its checksum", (bytes: Buffer) => bytes.fill("g", bytes.length - 1)],
    [
      "the mark of its checksum",
      (bytes: Buffer) => bytes.fill("p", bytes.lastIndexOf("Purse backup"), bytes.length - 70),
    ],
    ["its end", (bytes: Buffer) => bytes.subarray(0, bytes.length - 10)],
  ])("is not restored if %s was changed", async (_, change) => {
    const { folder, path, copy, database } = createDatabase();
    await backupDatabase(path, copy, SILENT);
    database.close();
    writeFileSync(copy, change(readFileSync(copy)));
    const restored = join(folder, "restored.sqlite");
    await expect(restoreDatabase(copy, restored, false)).rejects.toThrow(
      /cannot be used: (it was changed or damaged after the backup was created|its end is missing, or was changed)/,
    );
    expect(existsSync(restored)).toBe(false);
  });
});

it("removeAbandoned() removes unfinished files that nobody writes any more, and no others", async () => {
  const { folder, database } = createDatabase();
  database.close();
  const [old, fresh] = [join(folder, "a.unfinished"), join(folder, "b.unfinished")];
  for (const file of [old, fresh]) writeFileSync(file, "half");
  utimesSync(old, 1, 1);
  utimesSync(join(folder, "purse.sqlite"), 1, 1);
  await removeAbandoned(folder, (name) => name.endsWith(".unfinished"));
  expect(readdirSync(folder).sort()).toEqual(["b.unfinished", "purse.sqlite"]);
});
