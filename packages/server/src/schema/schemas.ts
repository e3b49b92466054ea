import { createHash } from "node:crypto";
import {
  assertClassName,
  ErrorCode,
  type FieldType,
  fieldTypeOf,
  type JsonValue,
  type Operation,
  ProtocolError,
} from "@purse/protocol";
import type { ClassRules } from "../objects/rules.ts";
import type { Store } from "../store/store.ts";
import { isStudioClass } from "../studio/studioClasses.ts";
import type { ClassSchema } from "./classSchema.ts";
import { COMMON_FIELDS } from "./describe.ts";
import { typeText } from "./editClass.ts";

/** What processes tell each other when a class has changed: this and its name. */
const ANNOUNCEMENT = "class:";

/** How far classes may grow as callers without the master key save objects. */
export interface GrowthLimits {
  /** Classes of the application in all, those of the server included. */
  classes: number;
  /** Fields of a class. */
  fields: number;
}

/** The classes of an application: kept in the store, cached, grown as objects are saved. Schemas are immutable. */
export class Schemas {
  readonly #store: Store;
  readonly #classes = new Map<string, ClassSchema>();
  readonly #rules: ReadonlyMap<string, ClassRules>;
  /** Changes of one class wait for each other. */
  #changes: Promise<unknown> = Promise.resolve();

  private constructor(store: Store, rules: ReadonlyMap<string, ClassRules>) {
    this.#store = store;
    this.#rules = rules;
  }

  static async load(
    store: Store,
    rules: ReadonlyMap<string, ClassRules>,
    onError: (error: unknown, during: string) => void,
  ): Promise<Schemas> {
    const schemas = new Schemas(store, rules);
    await schemas.refresh();
    store.onAnnounced((message) => {
      if (message !== undefined && !message.startsWith(ANNOUNCEMENT)) return;
      const reloaded = schemas.refresh(message?.slice(ANNOUNCEMENT.length));
      // Until it has been read, the class as it was known serves on.
      reloaded.catch((error: unknown) => onError(error, "reading classes that another process changed"));
    });
    for (const className of rules.keys()) await schemas.#ensureSystemClass(className);
    return schemas;
  }

  get(className: string): ClassSchema | undefined {
    return this.#classes.get(className);
  }

  /** A class that the server brings, or that is known to exist. */
  require(className: string): ClassSchema {
    const schema = this.#classes.get(className);
    if (!schema) throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, `Class ${className} does not exist`);
    return schema;
  }

  all(): ClassSchema[] {
    return [...this.#classes.values()];
  }

  /** Throws 111 where a field of the class has another type than an operation brings; changes nothing. */
  assertFit(className: string, operations: Record<string, Operation>): void {
    const schema = this.#classes.get(className);
    if (schema) missingFields(schema, operations);
  }

  /**
   * The schema with which the operations can be stored, grown by the class and the fields that are
   * new; `grow` is asked before it grows, and answers how far it may. Throws 111 where a field has another type, 119
   * where it may not grow so far.
   */
  async forWrite(
    className: string,
    operations: Record<string, Operation>,
    grow: (schema: ClassSchema | undefined) => GrowthLimits | undefined,
  ): Promise<ClassSchema> {
    const current = this.#classes.get(className);
    const added = current ? missingFields(current, operations) : {};
    if (current && Object.keys(added).length === 0) return current;
    const limits = grow(current);
    return this.change(className, (schema) => {
      const missing = missingFields(schema, operations);
      const isNew = !this.#classes.has(className);
      if (!isNew && Object.keys(missing).length === 0) return schema;
      const fields = { ...schema.fields, ...missing };
      // Changes happen one after the other: what is counted here is how many there are.
      if (limits) this.#assertWithin(limits, className, isNew, Object.keys(fields).length);
      return { ...schema, fields };
    });
  }

  /**
   * Creates or changes a class; changes happen one after the other, across processes too. `edit` may
   * answer what it was given for no change.
   */
  change(className: string, edit: (schema: ClassSchema) => ClassSchema): Promise<ClassSchema> {
    const changed = this.#changes.then(async () => {
      let isChanged = false;
      const schema = await this.#store.changeClass(className, (current) => {
        const edited = edit(current ?? this.#emptyClass(className));
        isChanged = edited !== current;
        return edited;
      });
      const kept = this.#keep(schema);
      if (isChanged) await this.#store.announce(ANNOUNCEMENT + className);
      return kept;
    });
    this.#changes = changed.catch(() => undefined);
    return changed;
  }

  /** Makes a class that is not there yet. Throws 103 where it is. */
  create(className: string, edit: (empty: ClassSchema) => ClassSchema): Promise<ClassSchema> {
    return this.change(className, (schema) => {
      if (this.#classes.has(className)) {
        throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, `Class ${className} already exists.`);
      }
      return edit(schema);
    });
  }

  /** Removes a class with its objects. */
  async drop(className: string): Promise<void> {
    const schema = this.#classes.get(className);
    if (!schema) return;
    await this.#store.dropClass(schema);
    this.#classes.delete(className);
    // A class of the server's own is there again at once, empty.
    if (this.#rules.has(className)) await this.#ensureSystemClass(className);
    await this.#store.announce(ANNOUNCEMENT + className);
  }

  /** Reads again what another process may have changed; without a name, everything. */
  async refresh(className?: string): Promise<void> {
    const loaded = await this.#store.loadClasses(className);
    const classes = loaded.filter((schema) => !isStudioClass(schema.className));
    for (const schema of classes) this.#keep(schema);
    const found = new Set(classes.map((schema) => schema.className));
    for (const known of className === undefined ? [...this.#classes.keys()] : [className]) {
      if (!found.has(known)) this.#classes.delete(known);
    }
  }

  /** A schema that says the same stays the same object: what was compiled for it stays good. */
  #keep(schema: ClassSchema): ClassSchema {
    const known = this.#classes.get(schema.className);
    if (known && JSON.stringify(known) === JSON.stringify(schema)) return known;
    this.#classes.set(schema.className, schema);
    return schema;
  }

  #assertWithin(limits: GrowthLimits, className: string, isNew: boolean, fields: number): void {
    if (isNew && this.#classes.size >= limits.classes) {
      throw new ProtocolError(
        ErrorCode.OPERATION_FORBIDDEN,
        `The class ${className} cannot be made: clients make classes only while there are fewer than ${limits.classes}.`,
      );
    }
    if (fields > limits.fields) {
      throw new ProtocolError(
        ErrorCode.OPERATION_FORBIDDEN,
        `The class ${className} would have ${fields} fields: clients add fields only up to ${limits.fields}.`,
      );
    }
  }

  #emptyClass(className: string): ClassSchema {
    assertClassName(className);
    const rules = this.#rules.get(className);
    return {
      className,
      table: this.#freeTable(className),
      fields: { ...rules?.fields },
      classLevelPermissions: { ...rules?.classLevelPermissions },
      indexes: { ...rules?.indexes },
    };
  }

  async #ensureSystemClass(className: string): Promise<void> {
    const known = this.#classes.get(className);
    const { fields = {}, indexes = {} } = this.#rules.get(className) ?? {};
    const isCurrent =
      known &&
      Object.keys(fields).every((name) => name in known.fields) &&
      Object.keys(indexes).every((name) => name in known.indexes);
    if (isCurrent) return;
    await this.change(className, (schema) => ({
      ...schema,
      fields: { ...schema.fields, ...fields },
      indexes: { ...schema.indexes, ...indexes },
    }));
  }

  /** Table names ignore case, class names do not. */
  #freeTable(className: string): string {
    const taken = new Set([...this.#classes.values()].map((schema) => schema.table.toLowerCase()));
    // Names of the store's own tables and of SQLite's stay out of reach.
    const safe = /^(purse_|sqlite_|pg_)/i.test(className) ? `~${className}` : className;
    // Databases cut long names short: what is left must still be the class's own.
    const base = safe.length <= MAX_TABLE_NAME ? safe : `${safe.slice(0, 30)}~${shortHash(safe)}`;
    let table = base;
    for (let i = 2; taken.has(table.toLowerCase()); i++) table = `${base}~${i}`;
    return table;
  }
}

const MAX_TABLE_NAME = 40;

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 9);
}

/** The fields that the operations bring and the schema lacks. Throws 111 on a mismatch. */
function missingFields(
  schema: ClassSchema,
  operations: Record<string, Operation>,
): Record<string, FieldType> {
  const missing: Record<string, FieldType> = {};
  for (const [path, operation] of Object.entries(operations)) {
    const dot = path.indexOf(".");
    const name = dot < 0 ? path : path.slice(0, dot);
    if (Object.hasOwn(COMMON_FIELDS, name)) continue;
    const type = dot < 0 ? typeFor(operation) : nestedType(operation);
    if (!type) continue;
    const known = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
    if (!known) missing[name] = type;
    else if (dot >= 0 ? known.type !== "Object" && known.type !== "Array" : !sameType(known, type)) {
      throw new ProtocolError(
        ErrorCode.INCORRECT_TYPE,
        `schema mismatch for ${schema.className}.${name}; expected ${typeText(known)} but got ${typeText(type)}`,
      );
    }
  }
  const places = Object.values({ ...schema.fields, ...missing }).filter(({ type }) => type === "GeoPoint");
  if (places.length > 1 && Object.values(missing).some(({ type }) => type === "GeoPoint")) {
    throw new ProtocolError(ErrorCode.INCORRECT_TYPE, "there can only be one geopoint field in a class");
  }
  return missing;
}

function nestedType(operation: Operation): FieldType | undefined {
  return operation.op === "Delete" ? undefined : { type: "Object" };
}

function typeFor(operation: Operation): FieldType | undefined {
  switch (operation.op) {
    case "Set":
      return fieldTypeOf(operation.value);
    case "Delete":
      return undefined;
    case "Increment":
      return { type: "Number" };
    case "Add":
    case "AddUnique":
    case "Remove":
      return { type: "Array" };
    case "Relation": {
      const target = (operation.add[0] ?? operation.remove[0])?.className;
      return target === undefined ? undefined : { type: "Relation", targetClass: target };
    }
  }
}

function sameType(known: FieldType, type: FieldType): boolean {
  return (
    known.type === type.type && (known.targetClass === undefined || known.targetClass === type.targetClass)
  );
}

/** A value that a relation field has in an object as it travels. */
export function relationFields(schema: ClassSchema): [string, JsonValue][] {
  return Object.entries(schema.fields)
    .filter(([, field]) => field.type === "Relation")
    .map(([name, field]) => [name, { __type: "Relation", className: field.targetClass ?? "" }]);
}
