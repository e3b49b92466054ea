import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { uniqueScopeOf } from "../auth/providers/authProviders.ts";
import { tokenHash } from "../auth/sessionRecord.ts";
import { foldName, UNIQUE_KEYS } from "../auth/uniqueKeys.ts";
import { CONFIG_OBJECT_ID } from "../data/schema/systemClasses.ts";
import { parseWebhook, WEBHOOK_UNIQUE_SCOPE, webhookKeyOf } from "../webhooks/webhookStore.ts";
import type { ExportRecord } from "./exportRecords.ts";
import { fromExtendedJson } from "./extendedJson.ts";
import { type ImportCounts, type ImportOptions, RecordImporter } from "./import.ts";
import { classFromDump, convertDocument, type DumpClass } from "./parseDocument.ts";
import { readLines } from "./readLines.ts";

/** Number of documents per batch. */
const BATCH_SIZE = 500;
const WALLET_PROVIDER = "moralisEth";
/** Collections that are recreated, or that only matter to the server that wrote them. */
const SKIPPED_COLLECTIONS: ReadonlySet<string> = new Set([
  "_SCHEMA",
  "_Idempotency",
  "_JobStatus",
  "_PushStatus",
  "_GraphQLConfig",
]);

export interface DumpCounts extends ImportCounts {
  /** Unknown columns as `class.column`, which were skipped. */
  unknownColumns: string[];
  /** Collections that were skipped. */
  skippedCollections: string[];
}

/**
 * Imports the database of a Parse Server as written by `mongoexport`: a folder with one file per collection, with one
 * document per line or a single array. Users keep their passwords and sessions.
 */
export async function importDump(folder: string, options: ImportOptions): Promise<DumpCounts> {
  const counts: DumpCounts = {
    lines: 0,
    resumedAfter: 0,
    invalid: 0,
    conflicts: [],
    unknownColumns: [],
    skippedCollections: [],
  };
  const importer = new RecordImporter(options, counts);
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json")).sort();
  if (files.length === 0) throw new Error(`${folder} contains no .json files`);
  const classes = await readClasses(folder, files);
  for (const dumpClass of classes.values()) await importer.add({ kind: "class", schema: dumpClass.schema });
  for (const file of files) {
    const collection = file.slice(0, -".json".length);
    if (SKIPPED_COLLECTIONS.has(collection)) {
      if (collection !== "_SCHEMA") counts.skippedCollections.push(collection);
      continue;
    }
    await importCollection(join(folder, file), collection, classes, importer, options, counts);
  }
  await importer.write();
  return counts;
}

async function readClasses(folder: string, files: string[]): Promise<Map<string, DumpClass>> {
  const classes = new Map<string, DumpClass>();
  if (!files.includes("_SCHEMA.json")) return classes;
  for await (const document of readDocuments(join(folder, "_SCHEMA.json"))) {
    if (isJsonObject(document)) {
      const dumpClass = classFromDump(document);
      classes.set(dumpClass.schema.className, dumpClass);
    }
  }
  return classes;
}

async function importCollection(
  path: string,
  collection: string,
  classes: ReadonlyMap<string, DumpClass>,
  importer: RecordImporter,
  options: ImportOptions,
  counts: DumpCounts,
): Promise<void> {
  const unknownColumns = new Set(counts.unknownColumns);
  // A dump without its schema still reveals the names of its classes.
  if (!collection.startsWith("_Join:") && !options.schemas.get(collection)) {
    await importer.add({ kind: "class", schema: options.schemas.newClass(collection) });
  }
  let line = 0;
  for await (const document of readDocuments(path)) {
    line += 1;
    counts.lines += 1;
    try {
      if (!isJsonObject(document)) throw new Error("it is not an object");
      for (const record of toRecords(collection, document, classes, unknownColumns)) {
        await importer.add(record);
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!options.onInvalidRecord) throw new Error(`${collection}, document ${line}: ${reason}`);
      counts.invalid += 1;
      options.onInvalidRecord(line, JSON.stringify(document), `${collection}: ${reason}`);
    }
    if (importer.size >= BATCH_SIZE) {
      await importer.write();
      options.progress.report(collection, line);
    }
  }
  counts.unknownColumns = [...unknownColumns];
}

function* toRecords(
  collection: string,
  document: JsonObject,
  classes: ReadonlyMap<string, DumpClass>,
  unknownColumns: Set<string>,
): Generator<ExportRecord> {
  const join = /^_Join:(\w+):(\w+)$/.exec(collection);
  if (join) {
    const [, key = "", className = ""] = join;
    const { owningId, relatedId } = document;
    if (typeof owningId !== "string" || typeof relatedId !== "string") {
      throw new Error("a relation needs owningId and relatedId");
    }
    yield { kind: "relation", className, key, owner: owningId, related: [relatedId] };
    return;
  }
  if (collection === "_GlobalConfig") {
    yield configRecord(document);
    return;
  }
  const converted = convertDocument(collection, document, classes.get(collection), unknownColumns);
  const { object, secret } = converted;
  const id = String(object.objectId);
  const uniqueRecord = (scope: string, value: string, owner = id): ExportRecord => ({
    kind: "claim",
    scope,
    value,
    owner,
  });
  const hook = collection === "_Hooks" ? hookName(object) : undefined;
  yield { kind: "object", className: collection, object, secret };
  if (hook !== undefined) yield uniqueRecord(WEBHOOK_UNIQUE_SCOPE, hook);
  switch (collection) {
    case "_User":
      if (typeof object.username === "string")
        yield uniqueRecord(UNIQUE_KEYS.username, foldName(object.username));
      if (typeof object.email === "string") yield uniqueRecord(UNIQUE_KEYS.email, foldName(object.email));
      for (const [provider, data] of Object.entries(isJsonObject(secret.authData) ? secret.authData : {})) {
        const providerId = isJsonObject(data) ? data.id : undefined;
        if (typeof providerId !== "string") continue;
        if (provider === WALLET_PROVIDER) yield* walletRecords(providerId.toLowerCase(), id, object);
        else yield uniqueRecord(uniqueScopeOf(provider), providerId);
      }
      for (const address of parseAddresses(object.accounts)) yield* walletRecords(address, id, object);
      return;
    case "_EthAddress": {
      const owner = isJsonObject(object.user) ? object.user.objectId : undefined;
      if (typeof owner === "string") yield uniqueRecord(UNIQUE_KEYS.address, id.toLowerCase(), owner);
      return;
    }
    case "_Role":
      if (typeof object.name === "string") yield uniqueRecord(UNIQUE_KEYS.role, object.name);
      return;
    case "_Session":
      if (converted.sessionToken !== undefined) {
        const expires = isJsonObject(object.expiresAt)
          ? Date.parse(String(object.expiresAt.iso))
          : Number.NaN;
        yield {
          kind: "claim",
          scope: UNIQUE_KEYS.sessionToken,
          value: tokenHash(converted.sessionToken),
          owner: id,
          ...(!Number.isNaN(expires) && { expiresAt: expires }),
        };
      }
  }
}

/** Converts the single row of the global config, which has a numeric id in Parse Server. */
function configRecord(document: JsonObject): ExportRecord {
  const { params, masterKeyOnly } = document;
  const plain = (value: JsonValue | undefined): JsonObject => {
    const converted = fromExtendedJson(value ?? {});
    if (isJsonObject(converted)) return converted;
    throw new Error("params and masterKeyOnly must be objects");
  };
  const at = new Date(0).toISOString();
  const object = { objectId: CONFIG_OBJECT_ID, createdAt: at, updatedAt: at };
  return {
    kind: "object",
    className: "_GlobalConfig",
    object: { ...object, params: plain(params), masterKeyOnly: plain(masterKeyOnly) },
  };
}

/** Returns the name of a hook. Throws Error if the hook is incomplete. */
function hookName(object: JsonObject): string {
  const hook = parseWebhook(object);
  if (!hook) throw new Error("a hook needs a url and a functionName, or a className and a triggerName");
  return webhookKeyOf(hook);
}

/** Yields the records of a wallet, for dumps without the collection of addresses. */
function* walletRecords(
  address: string,
  userId: string,
  { createdAt, updatedAt }: JsonObject,
): Generator<ExportRecord> {
  yield { kind: "claim", scope: UNIQUE_KEYS.address, value: address, owner: userId };
  yield {
    kind: "object",
    className: "_EthAddress",
    object: {
      objectId: address,
      createdAt: createdAt ?? null,
      updatedAt: updatedAt ?? null,
      user: { __type: "Pointer", className: "_User", objectId: userId },
      ACL: { [userId]: { read: true, write: true } },
    },
  };
}

function parseAddresses(accounts: JsonValue | undefined): string[] {
  const listed = Array.isArray(accounts) ? accounts : [];
  return listed
    .filter((each): each is string => typeof each === "string" && /^0x[0-9a-fA-F]{40}$/.test(each))
    .map((address) => address.toLowerCase());
}

/** Reads the documents of a file: one per line, or an array. */
async function* readDocuments(path: string): AsyncGenerator<JsonValue> {
  let first = true;
  for await (const line of readLines(path)) {
    const text = line.trim();
    if (text === "") continue;
    if (first && text.startsWith("[")) {
      const all: JsonValue = JSON.parse(await readFile(path, "utf8"));
      yield* Array.isArray(all) ? all : [];
      return;
    }
    first = false;
    const document: JsonValue = JSON.parse(text);
    yield document;
  }
}
