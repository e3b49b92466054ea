import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { NO_TRIGGERS } from "../../../test/noTriggers.ts";
import { createStoreCopies, DATABASES, type DatabaseName } from "../../../test/storeCopies.ts";
import { internalRequest, MASTER } from "../../core/authContext.ts";
import { EventBus } from "../../core/eventBus.ts";
import { createLogger } from "../../core/logger.ts";
import { FileUrls } from "../../data/fileUrls.ts";
import { AggregationWorker } from "../../data/objects/aggregationWorker.ts";
import { createObjects } from "../../data/objects/index.ts";
import { openSchemas } from "../../data/schema/openSchemas.ts";
import { systemClasses } from "../../data/schema/systemClasses.ts";
import { findRows } from "../../database/serverRows.ts";
import { migrationRules } from "./migrationRules.ts";
import { Migrations } from "./migrations.ts";

const rules = systemClasses([migrationRules]);
const copies = createStoreCopies((store) => openSchemas(store, rules));
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
afterAll(() => copies.remove());

const report = (error: unknown) => {
  throw error;
};

/** An application with a database and an empty folder of migrations. */
async function openApplication(database: DatabaseName) {
  const folder = await mkdtemp(join(tmpdir(), "purse-migrations-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const store = await copies.open(database, cleanups);
  const schemas = await openSchemas(store, rules);
  const lines: string[] = [];
  const log = createLogger({ level: "info", format: "json", write: (line) => void lines.push(line) });
  const urls = {
    appId: "test",
    mountPath: "/server",
    publicUrl: "http://localhost/server",
    filesUrl: undefined,
  };
  const objects = createObjects({
    store,
    aggregationWorker: new AggregationWorker({ logger: log, maxResultBytes: 1_000_000 }),
    schemas,
    rules,
    triggers: NO_TRIGGERS,
    limits: { defaultLimit: 100, maxLimit: 1_000 },
    fileUrls: new FileUrls(urls),
    events: new EventBus(report),
    allowClientClassCreation: true,
    allowClientAddField: true,
    allowCustomObjectId: false,
    defaultAcl: undefined,
    protectedFields: {},
    clock: store.now,
    onError: report,
  });
  const migrations = new Migrations({ folder, objects, schemas, store, clock: store.now, log });
  const request = internalRequest(MASTER);
  return {
    lines,
    run: (isDryRun = false) => migrations.run({ isDryRun }),
    /** Writes a migration, whose body has `objects`. */
    migration: (name: string, body: string) =>
      writeFile(join(folder, name), `export default async ({ objects, log }) => {\n${body}\n};\n`),
    file: (name: string, text: string) => writeFile(join(folder, name), text),
    async create(...all: JsonObject[]) {
      await Promise.all(all.map((fields) => objects.create(request, "Person", fields)));
    },
    async stored(): Promise<JsonObject[]> {
      const schema = schemas.get("Person");
      const rows = schema ? await findRows(store, schema, { order: "name", limit: 1_000 }) : [];
      return rows.map(({ objectId: _, createdAt: __, updatedAt: ___, ...fields }) => fields);
    },
  };
}

describe.each(DATABASES)("migrations on %s", (database) => {
  it("run once each, in the order of their names", async () => {
    const { run, migration, stored } = await openApplication(database);
    await migration("002-second.ts", 'await objects.updateEach("Person", {}, () => ({ name: "Ada" }));');
    await migration("001-first.mjs", 'await objects.create("Person", { name: "?", born: 1815 });');
    const reports = await run();
    expect(reports.map(({ name }) => name)).toEqual(["001-first.mjs", "002-second.ts"]);
    expect(reports[1]?.changes).toMatchObject({ Person: { created: 0, updated: 1, removed: 0 } });
    expect(await stored()).toEqual([{ name: "Ada", born: 1815 }]);
    expect(await run()).toEqual([]);
    await migration("003-third.js", 'await objects.removeEach("Person", { born: { $lt: 1900 } });');
    expect((await run()).map(({ name }) => name)).toEqual(["003-third.js"]);
    expect(await stored()).toEqual([]);
  });

  it("change any number of objects, and leave those as they are for which they return nothing", async () => {
    const { run, migration, create, stored } = await openApplication(database);
    const count = 405;
    await create(...Array.from({ length: count }, (_, i) => ({ name: `p${1_000 + i}`, i })));
    await migration(
      "1.ts",
      `const changed = await objects.updateEach("Person", { i: { $gte: 1 } }, ({ i }) =>
         i % 2 === 1 ? { i: { __op: "Increment", amount: 1_000 }, isOdd: true } : undefined);
       await objects.create("Person", { name: "a", changed });`,
    );
    await run();
    const rows = await stored();
    expect(rows[0]).toEqual({ name: "a", changed: 202 });
    for (const [i, row] of rows.slice(1).entries())
      expect(row).toEqual(
        i % 2 === 1 ? { name: `p${1_000 + i}`, i: i + 1_000, isOdd: true } : { name: `p${1_000 + i}`, i },
      );
  });

  it("read and write single objects, and fail with the errors of the API", async () => {
    const { run, migration, create, stored } = await openApplication(database);
    await create({ name: "Ada" }, { name: "Bob" });
    await migration(
      "1.ts",
      `const [ada] = await objects.find("Person", { name: "Ada" });
       await objects.update("Person", ada.objectId, { name: "Ada L." });
       const [bob] = await objects.find("Person", { name: { $ne: "Ada L." } });
       await objects.remove("Person", bob.objectId);
       const reasons = [];
       for (const attempt of [
         () => objects.update("Person", "missing", { name: "x" }),
         () => objects.remove("Person", bob.objectId),
         () => objects.find("Nobody"),
         () => objects.updateEach("Person", { friend: { $inQuery: {} } }, () => ({})),
         () => objects.update("Person", ada.objectId, { name: 7 }),
       ]) await attempt().catch(({ code }) => reasons.push(code));
       await objects.create("Person", { name: "Cy", reasons });`,
    );
    await run();
    expect(await stored()).toEqual([{ name: "Ada L." }, { name: "Cy", reasons: [101, 101, 119, 102, 111] }]);
  });

  it("that fail are named, run again, and keep those after them from running", async () => {
    const { run, migration, stored } = await openApplication(database);
    await migration("1.ts", 'await objects.create("Person", { name: "first" });');
    await migration("2.ts", 'throw new Error("no more");');
    await migration("3.ts", 'await objects.create("Person", { name: "third" });');
    await expect(run()).rejects.toThrow("The migration 2.ts failed: no more");
    expect(await stored()).toEqual([{ name: "first" }]);
    await migration("2.ts", 'await objects.create("Person", { name: "second" });');
    expect((await run()).map(({ name }) => name)).toEqual(["2.ts", "3.ts"]);
    expect(await stored()).toEqual([{ name: "first" }, { name: "second" }, { name: "third" }]);
  });

  it("show what they would write as a dry run, and write nothing", async () => {
    const { run, migration, create, stored } = await openApplication(database);
    await create({ name: "Ada" }, { name: "Bob" });
    const before = await stored();
    await migration(
      "1.ts",
      `await objects.updateEach("Person", { name: "Ada" }, () => ({ name: "Ada L." }));
       await objects.create("Person", { name: "Cy" });
       await objects.removeEach("Person", { name: "Bob" });
       await objects.updateEach("ClassOfALaterStep", {}, () => ({ name: "nobody" }));`,
    );
    const [report] = await run(true);
    expect(report).toMatchObject({
      name: "1.ts",
      changes: {
        Person: {
          created: 1,
          updated: 1,
          removed: 1,
          examples: [
            { object: { name: "Ada" }, changes: { name: "Ada L." } },
            { changes: { name: "Cy" } },
            { object: { name: "Bob" } },
          ],
        },
      },
    });
    expect(await stored()).toEqual(before);
    expect(await run(true)).toHaveLength(1);
  });

  it("run once if several processes start at the same time", async () => {
    const { run, migration, stored } = await openApplication(database);
    await migration("1.ts", 'await objects.create("Person", { name: "only" });');
    await migration("2.ts", 'await objects.create("Person", { name: "too" });');
    const reports = await Promise.all([run(), run(), run()]);
    expect(reports.flat()).toHaveLength(2);
    expect(await stored()).toEqual([{ name: "only" }, { name: "too" }]);
  });
});

describe("files of migrations", () => {
  it("that are hidden, declarations, tests or of another kind are no migrations", async () => {
    const { run, file } = await openApplication("SQLite");
    for (const name of [".hidden.ts", "types.d.ts", "1.test.ts", "readme.md", "data.json"])
      await file(name, "throw 1;");
    expect(await run()).toEqual([]);
  });

  it.each([
    ["no default export", "export const up = () => {};", "its default export must be a function"],
    ["another default export", "export default {};", "its default export must be a function"],
    ["a syntax error", "export default (", "The migration 1.js failed: "],
  ])("with %s fail with the reason", async (_, text, reason) => {
    const { run, file } = await openApplication("SQLite");
    await file("1.js", text);
    await expect(run()).rejects.toThrow(reason);
  });

  it("that were changed after they had run are named in the log", async () => {
    const { run, migration, lines } = await openApplication("SQLite");
    await migration("1.ts", "");
    await run();
    await migration("1.ts", 'await objects.create("Person", {});');
    expect(await run()).toEqual([]);
    expect(lines.map((line): JsonObject => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ level: "warn", name: "1.ts" }),
    );
  });
});
