import { readFile, rm, writeFile } from "node:fs/promises";
import { ErrorCode, type JsonObject, type Operation, ProtocolError } from "@purse/protocol";
import type { ClassSchema } from "../schema/classSchema.ts";
import { COMMON_FIELDS } from "../schema/describe.ts";
import type { Schemas } from "../schema/schemas.ts";
import { ClaimTaken, type Store, type Write } from "../store/store.ts";
import { linesOf } from "./lines.ts";
import type { Progress } from "./progress.ts";
import { type MovingRecord, parseRecord } from "./records.ts";

/** Steps written at once. */
const BATCH = 500;

export interface ImportOptions {
  store: Store;
  schemas: Schemas;
  progress: Progress;
  /** Told of lines that cannot be taken in; without one the first of them ends the import. */
  onBad?: ((line: number, text: string, reason: string) => void) | undefined;
}

export interface ImportCounts {
  lines: number;
  /** Where the last import of the file had come to. */
  resumedAfter: number;
  bad: number;
  /** Values that somebody else holds already: they stay theirs. */
  conflicts: string[];
}

/**
 * Takes an export in. What is there already is put as the file says; an import that was cut off goes on
 * where its last batch ended (`{file}.checkpoint`).
 */
export async function importFile(file: string, options: ImportOptions): Promise<ImportCounts> {
  const checkpoint = `${file}.checkpoint`;
  const resumedAfter = await readCheckpoint(checkpoint);
  const counts: ImportCounts = { lines: 0, resumedAfter, bad: 0, conflicts: [] };
  const intake = new Intake(options, counts);
  for await (const text of linesOf(file)) {
    counts.lines += 1;
    if (counts.lines <= resumedAfter || text.trim() === "") continue;
    let record: MovingRecord;
    try {
      record = parseRecord(text);
      if (counts.lines === 1 && record.kind !== "header")
        throw new Error("the first line must be the header");
      await intake.add(record);
    } catch (error) {
      await refuse(counts, options, text, error);
    }
    if (intake.size >= BATCH) {
      await intake.write();
      await writeFile(checkpoint, String(counts.lines));
      options.progress.report("lines", counts.lines);
    }
  }
  await intake.write();
  await rm(checkpoint, { force: true });
  return counts;
}

async function refuse(
  counts: ImportCounts,
  { onBad }: ImportOptions,
  text: string,
  error: unknown,
): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  if (!onBad) throw new Error(`Line ${counts.lines}: ${reason}`);
  counts.bad += 1;
  onBad(counts.lines, text, reason);
}

async function readCheckpoint(file: string): Promise<number> {
  const text = await readFile(file, "utf8").catch(() => "0");
  const line = Number(text);
  return Number.isSafeInteger(line) && line > 0 ? line : 0;
}

/** Collects records into steps and writes them batch by batch. */
export class Intake {
  readonly #options: ImportOptions;
  readonly #counts: Pick<ImportCounts, "conflicts">;
  #steps: Write[] = [];

  constructor(options: ImportOptions, counts: Pick<ImportCounts, "conflicts">) {
    this.#options = options;
    this.#counts = counts;
  }

  get size(): number {
    return this.#steps.length;
  }

  async add(record: MovingRecord): Promise<void> {
    switch (record.kind) {
      case "header":
        return;
      case "class":
        await this.#addClass(record.schema);
        return;
      case "object": {
        const { object, secret = {} } = record;
        const schema = await this.#schemaFor(record.className, object);
        this.#steps.push({ kind: "restore", schema, id: String(object.objectId), object, secret });
        return;
      }
      case "relation": {
        const schema = this.#schemaOf(record.className);
        const { owner: id, key, related: add } = record;
        this.#steps.push({ kind: "relate", schema, id, key, add, remove: [] });
        return;
      }
      case "claim":
        this.#steps.push(record);
    }
  }

  async write(): Promise<void> {
    const steps = this.#steps;
    this.#steps = [];
    if (steps.length === 0) return;
    try {
      await this.#options.store.write(steps);
    } catch (error) {
      if (!(error instanceof ClaimTaken)) throw error;
      await this.#writeOneByOne(steps);
    }
  }

  /** One value that somebody holds must not keep out what came with it. */
  async #writeOneByOne(steps: Write[]): Promise<void> {
    for (const step of steps) {
      try {
        await this.#options.store.write([step]);
      } catch (error) {
        if (!(error instanceof ClaimTaken)) throw error;
        this.#counts.conflicts.push(`${error.scope} ${error.value}`);
      }
    }
  }

  /** Fields, indexes and permissions are added to what is there. */
  async #addClass({ className, fields, classLevelPermissions, indexes }: ClassSchema): Promise<void> {
    await this.write();
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

  /** The class, with the fields that an object has; its values must be of their types. Throws 111. */
  #schemaFor(className: string, object: JsonObject): Promise<ClassSchema> {
    this.#schemaOf(className);
    const operations: Record<string, Operation> = {};
    for (const [name, value] of Object.entries(object)) {
      if (!Object.hasOwn(COMMON_FIELDS, name)) operations[name] = { op: "Set", value };
    }
    return this.#options.schemas.forWrite(className, operations, () => undefined);
  }

  #schemaOf(className: string): ClassSchema {
    const schema = this.#options.schemas.get(className);
    if (schema) return schema;
    throw new ProtocolError(
      ErrorCode.INVALID_CLASS_NAME,
      `class ${className} has not come before its objects`,
    );
  }
}
