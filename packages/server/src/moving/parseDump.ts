import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { uniqueScopeOf } from "../auth/providers/authProviders.ts";
import { tokenHash } from "../auth/sessionRecord.ts";
import { foldName, UNIQUE_KEYS } from "../auth/uniqueKeys.ts";
import { CONFIG_OBJECT_ID } from "../operator/globalConfigRoutes.ts";
import { parseWebhook, WEBHOOK_UNIQUE_SCOPE, webhookKeyOf } from "../webhooks/webhookStore.ts";
import { fromExtendedJson } from "./extendedJson.ts";
import { type ImportCounts, type ImportOptions, Intake } from "./import.ts";
import { linesOf } from "./lines.ts";
import { classFromDump, convertDocument, type DumpClass } from "./parseDocument.ts";
import type { MovingRecord } from "./records.ts";

/** Documents written at once. */
const BATCH = 500;
const WALLET = "moralisEth";
/** Collections whose content is made anew, or means nothing outside of the server that wrote it. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "_SCHEMA",
  "_Idempotency",
  "_JobStatus",
  "_PushStatus",
  "_GraphQLConfig",
]);

export interface DumpCounts extends ImportCounts {
  /** Columns that no rule knows, by `class.column`: they are left out. */
  unknown: string[];
  /** Collections that are left out. */
  leftOut: string[];
}

/**
 * Takes in a database of a Parse server as `mongoexport` writes it: a folder with a file for each
 * collection, one document to a line or all in one array. People keep their passwords and their sessions.
 */
export async function importDump(folder: string, options: ImportOptions): Promise<DumpCounts> {
  const counts: DumpCounts = { lines: 0, resumedAfter: 0, bad: 0, conflicts: [], unknown: [], leftOut: [] };
  const intake = new Intake(options, counts);
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json")).sort();
  if (files.length === 0) throw new Error(`${folder} holds no .json files`);
  const classes = await readClasses(folder, files);
  for (const dumped of classes.values()) await intake.add({ kind: "class", schema: dumped.schema });
  for (const file of files) {
    const collection = file.slice(0, -".json".length);
    if (LEFT_OUT.has(collection)) {
      if (collection !== "_SCHEMA") counts.leftOut.push(collection);
      continue;
    }
    await importCollection(join(folder, file), collection, classes, intake, options, counts);
  }
  await intake.write();
  return counts;
}

async function readClasses(folder: string, files: string[]): Promise<Map<string, DumpClass>> {
  const classes = new Map<string, DumpClass>();
  if (!files.includes("_SCHEMA.json")) return classes;
  for await (const document of documentsOf(join(folder, "_SCHEMA.json"))) {
    if (isJsonObject(document)) {
      const dumped = classFromDump(document);
      classes.set(dumped.schema.className, dumped);
    }
  }
  return classes;
}

async function importCollection(
  path: string,
  collection: string,
  classes: ReadonlyMap<string, DumpClass>,
  intake: Intake,
  options: ImportOptions,
  counts: DumpCounts,
): Promise<void> {
  const unknown = new Set(counts.unknown);
  // A dump without its schema still says what its classes are called.
  if (!collection.startsWith("_Join:") && !options.schemas.get(collection)) {
    await options.schemas.change(collection, (empty) => empty);
  }
  let line = 0;
  for await (const document of documentsOf(path)) {
    line += 1;
    counts.lines += 1;
    try {
      if (!isJsonObject(document)) throw new Error("it is not an object");
      for (const record of recordsOf(collection, document, classes, unknown)) {
        await intake.add(record);
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!options.onBad) throw new Error(`${collection}, document ${line}: ${reason}`);
      counts.bad += 1;
      options.onBad(line, JSON.stringify(document), `${collection}: ${reason}`);
    }
    if (intake.size >= BATCH) {
      await intake.write();
      options.progress.report(collection, line);
    }
  }
  counts.unknown = [...unknown];
}

function* recordsOf(
  collection: string,
  document: JsonObject,
  classes: ReadonlyMap<string, DumpClass>,
  unknown: Set<string>,
): Generator<MovingRecord> {
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
    yield settingsOf(document);
    return;
  }
  const converted = convertDocument(collection, document, classes.get(collection), unknown);
  const { object, secret } = converted;
  const id = String(object.objectId);
  const claim = (scope: string, value: string, owner = id): MovingRecord => ({
    kind: "claim",
    scope,
    value,
    owner,
  });
  const hook = collection === "_Hooks" ? hookName(object) : undefined;
  yield { kind: "object", className: collection, object, secret };
  if (hook !== undefined) yield claim(WEBHOOK_UNIQUE_SCOPE, hook);
  switch (collection) {
    case "_User":
      if (typeof object.username === "string") yield claim(UNIQUE_KEYS.username, foldName(object.username));
      if (typeof object.email === "string") yield claim(UNIQUE_KEYS.email, foldName(object.email));
      for (const [provider, data] of Object.entries(isJsonObject(secret.authData) ? secret.authData : {})) {
        const own = isJsonObject(data) ? data.id : undefined;
        if (typeof own !== "string") continue;
        if (provider === WALLET) yield* wallet(own.toLowerCase(), id, object);
        else yield claim(uniqueScopeOf(provider), own);
      }
      for (const address of addressesOf(object.accounts)) yield* wallet(address, id, object);
      return;
    case "_EthAddress": {
      const owner = isJsonObject(object.user) ? object.user.objectId : undefined;
      if (typeof owner === "string") yield claim(UNIQUE_KEYS.address, id.toLowerCase(), owner);
      return;
    }
    case "_Role":
      if (typeof object.name === "string") yield claim(UNIQUE_KEYS.role, object.name);
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

/** The one row of the settings: a Parse server numbers it, with a number. */
function settingsOf(document: JsonObject): MovingRecord {
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

/** Throws Error for a hook that nobody could call. */
function hookName(object: JsonObject): string {
  const hook = parseWebhook(object);
  if (!hook) throw new Error("a hook needs a url and a functionName, or a className and a triggerName");
  return webhookKeyOf(hook);
}

/** A wallet and its record, for dumps that lack the collection of addresses. */
function* wallet(
  address: string,
  userId: string,
  { createdAt, updatedAt }: JsonObject,
): Generator<MovingRecord> {
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

function addressesOf(accounts: JsonValue | undefined): string[] {
  const listed = Array.isArray(accounts) ? accounts : [];
  return listed
    .filter((each): each is string => typeof each === "string" && /^0x[0-9a-fA-F]{40}$/.test(each))
    .map((address) => address.toLowerCase());
}

/** The documents of a file: one to a line, or an array. */
async function* documentsOf(path: string): AsyncGenerator<JsonValue> {
  let first = true;
  for await (const line of linesOf(path)) {
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
