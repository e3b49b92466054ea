import { ErrorCode, type JsonObject, type Operation, ProtocolError } from "@purse/protocol";
import { missingFields } from "../data/schema/compareFields.ts";
import type { Schemas } from "../data/schema/schemas.ts";
import { type ClassSchema, COMMON_FIELDS } from "../database/classSchema.ts";
import type { ExportRecord } from "./exportRecords.ts";

/** Damaged records that are listed. */
const MAX_LISTED = 5;

/** Decides which records can be imported before any is written, as if all before them had been imported. */
export class RecordCheck {
  readonly #schemas: Pick<Schemas, "get" | "newClass">;
  /** The classes and fields that the records so far would have added. */
  readonly #classes = new Map<string, ClassSchema>();
  readonly #problems: string[] = [];
  #damaged = 0;

  constructor(schemas: Pick<Schemas, "get" | "newClass">) {
    this.#schemas = schemas;
  }

  /** Throws Error or ProtocolError with the reason why a record cannot be imported. */
  add(record: ExportRecord): void {
    switch (record.kind) {
      case "class": {
        const { className, fields } = record.schema;
        const known = this.#get(className) ?? this.#schemas.newClass(className);
        this.#classes.set(className, { ...known, fields: { ...fields, ...known.fields } });
        return;
      }
      case "object": {
        const known = this.#require(record.className);
        const missing = missingFields(known, writesOf(record.object));
        if (Object.keys(missing).length > 0)
          this.#classes.set(record.className, { ...known, fields: { ...known.fields, ...missing } });
        return;
      }
      case "relation":
        this.#require(record.className);
    }
  }

  has(className: string): boolean {
    return this.#get(className) !== undefined;
  }

  reject(place: string, error: unknown): void {
    this.#damaged += 1;
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#problems.length < MAX_LISTED) this.#problems.push(`${place}: ${reason}`);
  }

  /** Throws Error that lists the rejected records. */
  assertComplete(): void {
    if (this.#damaged === 0) return;
    const more =
      this.#damaged > this.#problems.length ? [`and ${this.#damaged - this.#problems.length} more`] : [];
    throw new Error(
      [
        `Nothing was imported: ${this.#damaged} damaged. --skip-bad FILE writes them to a file and imports the others.`,
        ...this.#problems,
        ...more,
      ].join("\n  "),
    );
  }

  #get(className: string): ClassSchema | undefined {
    return this.#classes.get(className) ?? this.#schemas.get(className);
  }

  #require(className: string): ClassSchema {
    const schema = this.#get(className);
    if (schema) return schema;
    throw missingClass(className);
  }
}

/** The writes of an object's fields. */
export function writesOf(object: JsonObject): Record<string, Operation> {
  const operations: Record<string, Operation> = {};
  for (const [name, value] of Object.entries(object))
    if (!Object.hasOwn(COMMON_FIELDS, name)) operations[name] = { op: "Set", value };
  return operations;
}

export function missingClass(className: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_CLASS_NAME, `class ${className} must come before its objects`);
}
