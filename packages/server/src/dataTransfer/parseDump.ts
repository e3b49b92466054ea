import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from "@purse/protocol";
import { uniqueScopeOf } from "../auth/providers/authProviders.ts";
import { tokenHash } from "../auth/sessionRecord.ts";
import { foldName, UNIQUE_KEYS } from "../auth/uniqueKeys.ts";
import { CONFIG_OBJECT_ID } from "../data/schema/systemClasses.ts";
import { parseWebhook, WEBHOOK_UNIQUE_SCOPE, webhookKeyOf } from "../data/webhookRow.ts";
import { bsonTexts } from "./bsonDocuments.ts";
import type { ExportRecord } from "./exportRecords.ts";
import { fromExtendedJson } from "./extendedJson.ts";
import { type ImportCounts, type ImportOptions, RecordImporter } from "./import.ts";
import { jsonTexts } from "./jsonTexts.ts";
import { classFromDump, convertDocument, type DumpClass } from "./parseDocument.ts";
import { RecordCheck } from "./recordCheck.ts";

/** Number of documents per batch. */
const BATCH_SIZE = 500;
const WALLET_PROVIDER = "moralisEth";
const SCHEMA_COLLECTION = "_SCHEMA";
/** Collections that are recreated, or that only matter to the server that wrote them. */
const SKIPPED_COLLECTIONS: ReadonlySet<string> = new Set([
  SCHEMA_COLLECTION,
  "_Idempotency",
  "_JobStatus",
  "_PushStatus",
  "_GraphQLConfig",
]);

export interface DumpCounts extends ImportCounts {
  /** Documents that were imported, by collection. */
  collections: Record<string, number>;
  /** Unknown internal columns as `class.column`, which were skipped. */
  unknownColumns: string[];
  /** Columns that `_SCHEMA` does not have, as `class.column`; they became fields. */
  addedFields: string[];
  /** Collections that were skipped. */
  skippedCollections: string[];
}

/** The files of a dump. */
interface Dump {
  /** Those to import, by their paths. */
  collections: ReadonlyMap<string, string>;
  /** As `_SCHEMA` describes them. */
  classes: ReadonlyMap<string, DumpClass>;
  skipped: readonly string[];
}

/**
 * Imports the database of a Parse Server: a folder with one file per collection as `mongoexport` writes it, with one document per line
 * or a single array, or the folder of a `mongodump`. Files of GridFS are those of `gridDocuments`. Users keep their passwords and sessions. Without `onInvalidRecord`, rejects before
 * anything is written if a document is damaged.
 */
export async function importDump(folder: string, options: ImportOptions): Promise<DumpCounts> {
  const dump = await openDump(folder);
  if (!options.onInvalidRecord) await checkDump(dump, options);
  const counts: DumpCounts = {
    lines: 0,
    resumedAfter: 0,
    invalid: 0,
    conflicts: [],
    objects: {},
    collections: {},
    unknownColumns: [],
    addedFields: [],
    skippedCollections: [...dump.skipped],
  };
  const importer = new RecordImporter(options, counts);
  const unknownColumns = new Set<string>();
  const addedFields = new Set<string>();
  for (const dumpClass of dump.classes.values())
    await importer.add({ kind: "class", schema: dumpClass.schema });
  for (const [collection, path] of dump.collections) {
    const records = recordsOf(collection, dump, unknownColumns);
    // A dump without its schema still reveals the names of its classes.
    if (!collection.startsWith("_Join:") && !options.schemas.get(collection))
      await importer.add({ kind: "class", schema: options.schemas.newClass(collection) });
    counts.collections[collection] = 0;
    let line = 0;
    for await (const text of documentsIn(path)) {
      line += 1;
      counts.lines += 1;
      try {
        const before = options.schemas.get(collection)?.fields;
        for (const record of records(text)) await importer.add(record);
        counts.collections[collection] += 1;
        const after = options.schemas.get(collection)?.fields;
        if (dump.classes.has(collection) && after !== before)
          for (const name of Object.keys(after ?? {}))
            if (!Object.hasOwn(before ?? {}, name)) addedFields.add(`${collection}.${name}`);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        counts.invalid += 1;
        options.onInvalidRecord?.(line, text, `${collection}: ${reason}`);
        if (!options.onInvalidRecord) throw new Error(`${collection}, document ${line}: ${reason}`);
      }
      if (importer.size >= BATCH_SIZE) {
        await importer.write();
        options.progress.report(collection, line);
      }
    }
  }
  await importer.write();
  counts.unknownColumns = [...unknownColumns];
  counts.addedFields = [...addedFields];
  return counts;
}

/**
 * The documents of the files of GridFS and of their chunks in a dump, in the wire format; undefined if it has none. Rejects if
 * the chunks are missing.
 */
export async function gridDocuments(
  folder: string,
): Promise<{ files: AsyncIterable<JsonObject>; chunks: AsyncIterable<JsonObject> } | undefined> {
  const paths = await collectionPaths(folder);
  const files = paths.get("fs.files");
  const chunks = paths.get("fs.chunks");
  if (files === undefined) return undefined;
  if (chunks === undefined) throw new Error(`${folder} has fs.files, but no fs.chunks`);
  return { files: wireDocuments(files), chunks: wireDocuments(chunks) };
}

async function* wireDocuments(path: string): AsyncGenerator<JsonObject> {
  for await (const text of documentsIn(path)) {
    const document = fromExtendedJson(parseDocument(text));
    if (isJsonObject(document)) yield document;
  }
}

const COLLECTION_FILE = /^(?<name>.+?)\.(?:json|bson|bson\.gz)$/;
/** Of mongodump: the options of a collection, and what happened meanwhile. */
const NO_COLLECTION = /\.metadata\.json(?:\.gz)?$|^(?:oplog|prelude)\./;

async function openDump(folder: string): Promise<Dump> {
  const paths = await collectionPaths(folder);
  const classes = new Map<string, DumpClass>();
  const collections = new Map<string, string>();
  const skipped: string[] = [];
  for (const [collection, path] of paths) {
    if (collection === "fs.files" || collection === "fs.chunks") continue;
    if (collection.startsWith("system.")) skipped.push(collection);
    else if (!SKIPPED_COLLECTIONS.has(collection)) collections.set(collection, path);
    else if (collection !== SCHEMA_COLLECTION) skipped.push(collection);
    else for await (const dumpClass of classesIn(path)) classes.set(dumpClass.schema.className, dumpClass);
  }
  return { collections, classes, skipped };
}

/** The files of collections by name; `mongodump` writes them into a folder of the database. */
async function collectionPaths(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true });
  const paths = new Map<string, string>();
  for (const name of entries.map((entry) => entry.name).sort()) {
    const collection = NO_COLLECTION.test(name) ? undefined : COLLECTION_FILE.exec(name)?.groups?.name;
    if (collection === undefined) continue;
    // Tools of MongoDB escape characters that some file systems do not allow.
    const decoded = collection.replace(/%3A/gi, ":");
    if (paths.has(decoded)) throw new Error(`${folder} has two files of the collection ${decoded}`);
    paths.set(decoded, join(folder, name));
  }
  if (paths.size > 0) return paths;
  const folders = entries.filter((entry) => entry.isDirectory());
  const [database, ...others] = folders.filter(({ name }) => name !== "admin" && name !== "config");
  if (!database) throw new Error(`${folder} contains no .json or .bson files`);
  if (others.length === 0) return collectionPaths(join(folder, database.name));
  throw new Error(
    `${folder} contains several databases: name the folder of one of ${folders.map(({ name }) => name).join(", ")}`,
  );
}

async function* classesIn(path: string): AsyncGenerator<DumpClass> {
  let line = 0;
  for await (const text of documentsIn(path)) {
    line += 1;
    try {
      yield classFromDump(parseDocument(text));
    } catch (error) {
      throw new Error(
        `${SCHEMA_COLLECTION}, document ${line}: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
}

/** Rejects with a list of the damaged documents, before anything is written. */
async function checkDump(dump: Dump, { schemas, progress }: ImportOptions): Promise<void> {
  const check = new RecordCheck(schemas);
  for (const { schema } of dump.classes.values()) check.add({ kind: "class", schema });
  for (const [collection, path] of dump.collections) {
    const records = recordsOf(collection, dump, new Set());
    let line = 0;
    for await (const text of documentsIn(path)) {
      line += 1;
      try {
        if (line === 1 && !collection.startsWith("_Join:") && !check.has(collection))
          check.add({ kind: "class", schema: schemas.newClass(collection) });
        for (const record of records(text)) check.add(record);
      } catch (error) {
        check.reject(`${collection}, document ${line}`, error);
      }
      if (line % BATCH_SIZE === 0) progress.report(`checking ${collection}`, line);
    }
  }
  check.assertComplete();
}

/** Reads the records of a document from its text. Throws Error if it is damaged. */
function recordsOf(collection: string, { classes }: Dump, unknownColumns: Set<string>) {
  return (text: string) => toRecords(collection, parseDocument(text), classes, unknownColumns);
}

function parseDocument(text: string): JsonObject {
  const document = tryParseJson(text);
  if (document === undefined) throw new Error("it is not JSON");
  if (!isJsonObject(document)) throw new Error("it is not an object");
  return document;
}

/** The texts of the documents of a file, however it is formatted. */
function documentsIn(path: string): AsyncGenerator<string> {
  if (!path.endsWith(".json")) return bsonTexts(path);
  return jsonTexts(createReadStream(path, { encoding: "utf8", highWaterMark: 1 << 20 }));
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
