import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const SOURCES = join(import.meta.dirname, "../..");
/** Folders with code that handles requests of clients. */
const FOLDERS = ["api", "data", "realtime", "cloud", "modules"];
const STORE_READ =
  /\bstore\s*\.\s*(get|find|count|distinct|group|explain|getSecret|scan|scanRelations)\(|\bfindRows\(/;

/** Modules whose rows only the master key and the server itself read. */
const OF_OPERATORS = /^modules\/(chainEvents|jobs|streams)\//;

/** Files that may read from the store directly, with the reason. */
const EXCEPTIONS = new Map([
  ["data/dataService.ts", "reads a signed-in user for cloud code, as that user sees itself"],
  ["data/objects/objectReader.ts", "takes scopes that authorizeRead has made"],
  ["data/objects/bulkAccess.ts", "reads what the master key and migrations change in bulk"],
  ["data/objects/bulkWrites.ts", "reads the ids of what the master key changes in bulk"],
  ["data/objects/changedFields.ts", "answers a repeated write; a scope decides what of it is shown"],
  ["data/objects/write.ts", "reads what is about to be written, for rules and triggers"],
  ["data/schema/classDescriptions.ts", "asks whether a class has objects, for the master key"],
  ["data/schema/schemaService.ts", "removes classes and their objects for the master key"],
  ["modules/apiKeys/apiKeys.ts", "reads keys, which clients may not, to check those that are sent"],
  ["modules/apiKeys/keyUsage.ts", "counts the use of keys for operators"],
  [
    "modules/files/uploadRecords.ts",
    "reads the states of uploads, which the clients' classes do not contain",
  ],
  ["modules/globalConfig/configHistory.ts", "lists the changes of the config for operators"],
  ["modules/migrations/migrations.ts", "reads which migrations have run, at the start"],
  ["modules/push/pushStatus.ts", "reads the states of pushes that the master key sends"],
  ["modules/webhooks/webhookStore.ts", "loads the webhooks when the server starts"],
]);

it("code that serves clients reads objects only through the ObjectReader, with authorized scopes", () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(SOURCES, folder), { recursive: true, encoding: "utf8" }).map(
      (file) => `${folder}/${file}`,
    ),
  ).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !OF_OPERATORS.test(file));
  const reading = files.filter((file) => STORE_READ.test(readFileSync(join(SOURCES, file), "utf8")));
  expect(reading.sort()).toEqual([...EXCEPTIONS.keys()].sort());
});
