import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isClassName, isJsonObject, isWireDate, type JsonObject, type JsonValue } from "@purse/protocol";
import { MFA } from "../accounts/auth/mfa.ts";
import { scopeOf } from "../accounts/auth/providers.ts";
import { CLAIM } from "../accounts/parts.ts";
import { tokenHash } from "../accounts/sessions.ts";
import { WALLET_PROVIDER } from "../accounts/wallets.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import { Checkpoint } from "./checkpoint.ts";
import { documentsOf } from "./documents.ts";
import { BATCH, type ImportCounts } from "./import.ts";
import { type ImportOptions, Intake, reasonOf } from "./intake.ts";
import { convertDocument, type Notes } from "./parseDocument.ts";
import { classFromDump } from "./parseSchema.ts";
import type { MovingRecord } from "./records.ts";

const SCHEMA = "_SCHEMA";
const JOIN = /^_Join:(\w+):(\w+)$/;
const ADDRESS = /^0x[0-9a-f]{40}$/;

export interface DumpCounts extends ImportCounts {
  /** What was left out or changed, as sentences. */
  notes: string[];
}

interface Collection {
  name: string;
  file: string;
}

/**
 * Takes in a database of a Parse server as `mongoexport` writes it: a folder with a file for each
 * collection, one document to a line or all in one array. People keep their passwords and their sessions. An import
 * that was cut off goes on where its last batch ended (`{folder}.checkpoint`).
 */
export async function importDump(folder: string, options: ImportOptions): Promise<DumpCounts> {
  const collections = await collectionsOf(folder);
  const schemaFile = collections.find(({ name }) => name === SCHEMA)?.file;
  // A place and a list of two numbers, a file and a text look the same without it.
  if (schemaFile === undefined) throw new Error(`${folder} lacks _SCHEMA.json, which says what the fields are`);
  const fingerprint = await fingerprintOf(folder, collections);
  const checkpoint = await Checkpoint.open(`${folder}.checkpoint`, fingerprint, options.store);
  const { resumedAfter } = checkpoint;
  const notes: Notes = new Set();
  const counts = { lines: 0, resumedAfter: resumedAfter?.count ?? 0, bad: 0 };
  const intake = new Intake(options);

  async function takeIn({ name, file }: Collection, take: (document: JsonObject) => Promise<void>, skip = 0) {
    let count = 0;
    for await (const text of documentsOf(join(folder, file))) {
      count += 1;
      if (count <= skip) continue;
      counts.lines += 1;
      try {
        await take(parseDocument(text));
      } catch (error) {
        const reason = reasonOf(error);
        if (!options.onBad) {
          await intake.write();
          throw new Error(`${file}, document ${count}: ${reason}`);
        }
        counts.bad += 1;
        options.onBad(count, text, `${file}: ${reason}`);
      }
      if (intake.size < BATCH) continue;
      await intake.write();
      await checkpoint.save({ file, count });
      options.progress.report(name, count);
    }
  }

  const classes = new Map<string, ClassSchema>();
  await takeIn({ name: SCHEMA, file: schemaFile }, async (document) => {
    // Those of the server's own are there too.
    if (!isClassName(String(document._id))) return;
    const schema = classFromDump(document, notes);
    await intake.add({ kind: "class", schema });
    classes.set(schema.className, schema);
  });
  let isBefore = resumedAfter !== undefined;
  for (const collection of collections) {
    const isResumed = resumedAfter?.file === collection.file;
    if (isResumed) isBefore = false;
    const { name } = collection;
    if (name === SCHEMA) continue;
    if (!JOIN.test(name) && !isClassName(name)) {
      notes.add(leftOutNote(name));
      continue;
    }
    if (isBefore) continue;
    if (!JOIN.test(name) && !classes.has(name) && !options.schemas.get(name)) {
      notes.add(`${name}: _SCHEMA does not list it; its places, files and polygons may look like other values`);
      await intake.add({ kind: "class", schema: emptyClass(name) });
    }
    await takeIn(
      collection,
      async (document) => {
        // Whoever misses one part of a document would not find the others of use.
        for (const record of recordsOf(name, document, classes, notes)) await intake.add(record);
      },
      isResumed ? resumedAfter.count : 0,
    );
  }
  await intake.write();
  await checkpoint.finish();
  return { ...counts, conflicts: intake.conflicts, notes: [...notes] };
}

/** In the order in which they are taken in: what `_EthAddress` itself says of a wallet has the last word. */
async function collectionsOf(folder: string): Promise<Collection[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json")).sort();
  if (files.length === 0) throw new Error(`${folder} holds no .json files`);
  const collections = files.map((file) => ({ file, name: decoded(file.slice(0, -".json".length)) }));
  const isLast = ({ name }: Collection) => name === "_EthAddress" || JOIN.test(name);
  return [...collections.filter((each) => !isLast(each)), ...collections.filter(isLast)];
}

/** Where file names may hold no colon, it is written as %3A. */
function decoded(name: string): string {
  return name.replaceAll(/%3a/gi, ":");
}

async function fingerprintOf(folder: string, collections: Collection[]): Promise<string> {
  const parts = await Promise.all(
    collections.map(async ({ file }) => {
      const { size, mtimeMs } = await stat(join(folder, file));
      return `${file} ${size} ${mtimeMs}`;
    }),
  );
  return parts.join("\n");
}

function leftOutNote(collection: string): string {
  return collection.startsWith("fs.")
    ? `${collection}: the contents of files do not move with the database`
    : `${collection}: it is the old server's own, and is left out`;
}

function emptyClass(className: string): ClassSchema {
  return { className, table: "", fields: {}, classLevelPermissions: {}, indexes: {} };
}

function parseDocument(text: string): JsonObject {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("it is not JSON");
  }
  if (isJsonObject(value)) return value;
  throw new Error("it is not an object");
}

function recordsOf(
  collection: string,
  document: JsonObject,
  classes: ReadonlyMap<string, ClassSchema>,
  notes: Notes,
): MovingRecord[] {
  const [, key = "", className = ""] = JOIN.exec(collection) ?? [];
  if (className !== "") {
    const { owningId, relatedId } = document;
    if (typeof owningId !== "string" || typeof relatedId !== "string") {
      throw new Error("a relation needs owningId and relatedId");
    }
    return [{ kind: "relation", className, key, owner: owningId, related: [relatedId] }];
  }
  const { object, secret, sessionToken } = convertDocument(
    collection,
    document,
    classes.get(collection),
    notes,
  );
  if (collection === "_EthAddress") object.objectId = String(object.objectId).toLowerCase();
  const own: MovingRecord = { kind: "object", className: collection, object, secret };
  if (collection === "_User") return [own, ...identitiesOf(object, secret)];
  if (collection === "_Session" && sessionToken !== undefined) {
    return [own, sessionClaim(sessionToken, object)];
  }
  return [own];
}

/** By what people sign in beside names: wallets, with their records, and ids of other services. */
function* identitiesOf(object: JsonObject, { authData }: JsonObject): Generator<MovingRecord> {
  const owner = String(object.objectId);
  const addresses = new Set(addressesOf(object.accounts));
  for (const [provider, data] of Object.entries(isJsonObject(authData) ? authData : {})) {
    const id = isJsonObject(data) ? data.id : undefined;
    if ((typeof id !== "string" && typeof id !== "number") || id === "" || provider === MFA) continue;
    if (provider !== WALLET_PROVIDER) {
      yield { kind: "claim", scope: scopeOf(provider), value: String(id), owner };
    } else for (const address of addressesOf([id])) addresses.add(address);
  }
  const { createdAt = null, updatedAt = null } = object;
  const user = { __type: "Pointer", className: "_User", objectId: owner };
  const ACL = { [owner]: { read: true, write: true } };
  for (const objectId of addresses) {
    const record = { objectId, createdAt, updatedAt, user, ACL };
    yield { kind: "object", className: "_EthAddress", object: record };
  }
}

function sessionClaim(sessionToken: string, { objectId, expiresAt }: JsonObject): MovingRecord {
  return {
    kind: "claim",
    scope: CLAIM.sessionToken,
    value: tokenHash(sessionToken),
    owner: String(objectId),
    ...(isWireDate(expiresAt) && { expiresAt: Date.parse(expiresAt.iso) }),
  };
}

function addressesOf(accounts: JsonValue | undefined): string[] {
  const listed = Array.isArray(accounts) ? accounts : [];
  return listed.flatMap((each) => {
    const address = typeof each === "string" ? each.toLowerCase() : "";
    return ADDRESS.test(address) ? [address] : [];
  });
}
