import { readFile, rm, writeFile } from "node:fs/promises";
import type { JsonObject, JsonValue } from "@purse/protocol";
import { ImportedHashes, isImportedCost } from "../auth/importedHashes.ts";
import { bcryptCostOf } from "../auth/password.ts";
import { hasUsers, isUserReadAccess, userReadAccessWrites } from "../auth/privateUsers.ts";
import {
  accessOf,
  defaultAccessWrites,
  isApplicationClass,
  isDefaultAccess,
} from "../data/permissions/classAccess.ts";
import type { Schemas } from "../data/schema/schemas.ts";
import type { ClassSchema } from "../database/classSchema.ts";
import { type Store, UniqueConstraintError, type Write } from "../database/store.ts";
import { type ExportRecord, parseRecord } from "./exportRecords.ts";
import { assertExport } from "./fileKind.ts";
import type { Progress } from "./progress.ts";
import { readLines } from "./readLines.ts";
import { missingClass, RecordCheck, writesOf } from "./recordCheck.ts";

/** Number of writes per batch. */
const BATCH_SIZE = 500;

export interface ImportOptions {
  store: Store;
  schemas: Schemas;
  progress: Progress;
  /** Called for each invalid record; without it, nothing is imported if there is one. */
  onInvalidRecord?: ((line: number, text: string, reason: string) => void) | undefined;
}

export interface ImportCounts {
  lines: number;
  /** Last line that an earlier, interrupted import of the file has completed. */
  resumedAfter: number;
  invalid: number;
  /** Unique values that already belong to another owner and were not imported. */
  conflicts: string[];
  /** Imported objects by class. */
  objects: Record<string, number>;
}

/**
 * Imports an exported file. Existing objects are overwritten. An interrupted import resumes after its last complete
 * batch (`{file}.checkpoint`).
 */
export async function importFile(file: string, options: ImportOptions): Promise<ImportCounts> {
  const checkpoint = `${file}.checkpoint`;
  const resumedAfter = await readCheckpoint(checkpoint);
  const counts: ImportCounts = { lines: 0, resumedAfter, invalid: 0, conflicts: [], objects: {} };
  const importer = new RecordImporter(options, counts);
  await assertExport(file);
  if (!options.onInvalidRecord) await checkFile(file, resumedAfter, options.schemas);
  for await (const text of readLines(file)) {
    counts.lines += 1;
    if (counts.lines <= resumedAfter || text.trim() === "") continue;
    try {
      await importer.add(parseLine(text, counts.lines));
    } catch (error) {
      await reportInvalidRecord(counts, options, text, error);
    }
    if (importer.size >= BATCH_SIZE) {
      await importer.write();
      await writeFile(checkpoint, String(counts.lines));
      options.progress.report("lines", counts.lines);
    }
  }
  await importer.write();
  await rm(checkpoint, { force: true });
  return counts;
}

/** Rejects, before anything is written, if a line cannot be imported. */
async function checkFile(file: string, resumedAfter: number, schemas: Schemas): Promise<void> {
  const check = new RecordCheck(schemas);
  let line = 0;
  for await (const text of readLines(file)) {
    line += 1;
    if (line <= resumedAfter || text.trim() === "") continue;
    try {
      check.add(parseLine(text, line));
    } catch (error) {
      check.reject(`Line ${line}`, error);
    }
  }
  check.assertComplete();
}

function parseLine(text: string, line: number): ExportRecord {
  const record = parseRecord(text);
  if (line === 1 && record.kind !== "header") throw new Error("the first line must be the header");
  return record;
}

async function reportInvalidRecord(
  counts: ImportCounts,
  { onInvalidRecord }: ImportOptions,
  text: string,
  error: unknown,
): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  if (!onInvalidRecord) throw new Error(`Line ${counts.lines}: ${reason}`);
  counts.invalid += 1;
  onInvalidRecord(counts.lines, text, reason);
}

async function readCheckpoint(file: string): Promise<number> {
  const text = await readFile(file, "utf8").catch(() => "0");
  const line = Number(text);
  return Number.isSafeInteger(line) && line > 0 ? line : 0;
}

/** Converts records to writes and executes them in batches. */
export class RecordImporter {
  readonly #options: ImportOptions;
  readonly #counts: Pick<ImportCounts, "conflicts" | "objects">;
  #writes: Write[] = [];
  #hasSeenUser = false;
  #hasSeenClass = false;
  /** The highest cost of a password hash that was recorded. */
  #highestCost = 0;

  constructor(options: ImportOptions, counts: Pick<ImportCounts, "conflicts" | "objects">) {
    this.#options = options;
    this.#counts = counts;
  }

  get size(): number {
    return this.#writes.length;
  }

  async add(record: ExportRecord): Promise<void> {
    switch (record.kind) {
      case "header":
        return;
      case "class":
        await this.#addClass(record.schema);
        return;
      case "object": {
        const { object, secret = {} } = record;
        const schema = await this.#schemaFor(record.className, object);
        if (record.className === "_User") {
          await this.#keepUsersPublic(schema);
          await this.#recordCost(secret.passwordHash);
        }
        this.#writes.push({ kind: "restore", schema, id: String(object.objectId), object, secret });
        const { objects } = this.#counts;
        objects[record.className] = (objects[record.className] ?? 0) + 1;
        return;
      }
      case "relation": {
        const schema = this.#requireSchema(record.className);
        const { owner: id, key, related: add } = record;
        this.#writes.push({ kind: "updateRelation", schema, id, key, add, remove: [] });
        return;
      }
      case "claim":
        if (isUserReadAccess(record)) {
          if (record.owner === "private") this.#writes.push(...userReadAccessWrites("private"));
          return;
        }
        if (isDefaultAccess(record)) {
          if (accessOf(record.owner) === "closed") this.#writes.push(...defaultAccessWrites("closed"));
          return;
        }
        // The hashes themselves are in the export.
        if (isImportedCost(record)) return;
        this.#writes.push({ ...record, kind: "reserveUnique" });
    }
  }

  /**
   * Lets imported users read each other, as apps may depend on it, unless the end of the export contains another
   * setting.
   */
  async #keepUsersPublic(schema: ClassSchema): Promise<void> {
    if (this.#hasSeenUser) return;
    this.#hasSeenUser = true;
    if (await hasUsers(this.#options.store, schema)) return;
    this.#writes.push(...userReadAccessWrites("public"));
  }

  /** Records what the password hashes of another server cost, before the first user with such a hash. */
  async #recordCost(passwordHash: JsonValue | undefined): Promise<void> {
    const cost = typeof passwordHash === "string" ? bcryptCostOf(passwordHash) : undefined;
    if (cost === undefined || cost <= this.#highestCost) return;
    this.#highestCost = cost;
    this.#writes.push(...(await new ImportedHashes(this.#options.store).writesFor(passwordHash)));
  }

  /**
   * Lets an application that is imported create classes as before, unless the end of the export says that its classes are
   * closed.
   */
  async #keepClassesOpen(): Promise<void> {
    if (this.#hasSeenClass) return;
    this.#hasSeenClass = true;
    const { schemas, store } = this.#options;
    if (!schemas.all().some(isApplicationClass)) await store.write(defaultAccessWrites("open"));
  }

  async write(): Promise<void> {
    const writes = this.#writes;
    this.#writes = [];
    if (writes.length === 0) return;
    try {
      await this.#options.store.write(writes);
    } catch (error) {
      if (!(error instanceof UniqueConstraintError)) throw error;
      await this.#writeOneByOne(writes);
    }
  }

  /** A conflict on one unique value must not prevent the import of the other records of the batch. */
  async #writeOneByOne(writes: Write[]): Promise<void> {
    for (const write of writes) {
      try {
        await this.#options.store.write([write]);
      } catch (error) {
        if (!(error instanceof UniqueConstraintError)) throw error;
        this.#counts.conflicts.push(`${error.scope} ${error.value}`);
      }
    }
  }

  /** Adds missing fields and indexes to an existing class; sets permissions only if there are none. */
  async #addClass({ className, fields, classLevelPermissions, indexes }: ClassSchema): Promise<void> {
    await this.write();
    if (isApplicationClass({ className })) await this.#keepClassesOpen();
    await this.#options.schemas.change(className, (known) => ({
      ...known,
      fields: { ...fields, ...known.fields },
      indexes: { ...indexes, ...known.indexes },
      classLevelPermissions:
        Object.keys(known.classLevelPermissions).length > 0
          ? known.classLevelPermissions
          : classLevelPermissions,
    }));
  }

  /** Returns the class with the fields of an object. Throws 111 if a value has another type than its field. */
  #schemaFor(className: string, object: JsonObject): ClassSchema | Promise<ClassSchema> {
    this.#requireSchema(className);
    return this.#options.schemas.ensureForWrite(className, writesOf(object), () => undefined);
  }

  #requireSchema(className: string): ClassSchema {
    const schema = this.#options.schemas.get(className);
    if (schema) return schema;
    throw missingClass(className);
  }
}
