import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@purse/server";
import postgres from "postgres";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { newDatabase } from "../support/postgresServer.ts";
import { purseCommand } from "../support/purseCommand.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "purse-columns-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

it("purse columns adds and reports missing columns of classes from an earlier version", async () => {
  const url = await newDatabase(inject("postgresUrl"));
  const env = { PURSE_DATABASE_URL: url, PURSE_DATA_DIR: folder };
  const store = await openStore({ kind: "postgres", url, connections: 3 });
  const schema = await store.changeClass("Sale", () => ({
    className: "Sale",
    table: "Sale",
    fields: { amount: { type: "Number" }, tags: { type: "Array" } },
    classLevelPermissions: {},
    indexes: {},
  }));
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await sql`ALTER TABLE "Sale" DROP COLUMN "amount:Number"`;
  const { columns, ...earlier } = schema;
  await sql`UPDATE purse_classes SET schema = ${JSON.stringify(earlier)} WHERE class_name = 'Sale'`;
  await sql.end();
  expect(await purseCommand(["columns"], env)).toEqual({ code: 0, output: "+ Sale: amount" });
  expect(await store.loadClasses("Sale")).toEqual([{ ...earlier, columns }]);
  expect(await purseCommand(["columns"], env)).toEqual({
    code: 0,
    output: "All classes have their columns.",
  });
  await store.close();
});

it("purse columns explains that SQLite has no typed columns", async () => {
  expect(await purseCommand(["columns"], { PURSE_DATABASE_URL: "", PURSE_DATA_DIR: folder })).toEqual({
    code: 1,
    output: "purse: This is for PostgreSQL. A SQLite database has no typed columns.",
  });
});
