import { createHash } from "node:crypto";
import { assertClassName, ErrorCode, type Operation, ProtocolError } from "@purse/protocol";
import { operationForbidden } from "../../core/operationForbidden.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import type { Store } from "../../database/store.ts";
import type { ClassRules } from "../objects/classRules.ts";
import {
  type DefaultAccess,
  hasUnsetPermissions,
  recordedAccess,
  unsetPermissions,
} from "../permissions/classAccess.ts";
import { compareFields, missingFields } from "./compareFields.ts";
import { isStudioClass } from "./studioClasses.ts";

/** Prefix of the notification, followed by the class name, that a class has changed. */
const CLASS_CHANGED_PREFIX = "class:";

/** Decides about classes whose permissions nobody has set, by what is recorded for the database. */
type DecideAccess = (recorded: DefaultAccess) => DefaultAccess;

/** Limits on the growth of classes by saves without the master key. */
export interface GrowthLimits {
  /** Maximum number of classes, including built-in ones. */
  classes: number;
  /** Maximum number of fields per class. */
  fields: number;
}

/**
 * The classes of an application: stored in the database, cached, and extended as objects are saved. Schemas are
 * immutable.
 */
export class Schemas {
  readonly #store: Store;
  readonly #classes = new Map<string, ClassSchema>();
  readonly #rules: ReadonlyMap<string, ClassRules>;
  readonly #decideAccess: DecideAccess;
  #access: DefaultAccess = "open";
  /** Queue of changes, which run one after the other. */
  #changes: Promise<unknown> = Promise.resolve();

  /** Without `decideAccess`, classes are open until permissions are set: for tools that copy classes as they are. */
  constructor(
    store: Store,
    rules: ReadonlyMap<string, ClassRules>,
    decideAccess: DecideAccess = () => "open",
  ) {
    this.#store = store;
    this.#rules = rules;
    this.#decideAccess = decideAccess;
  }

  /** What applies to classes whose permissions nobody has set. */
  get access(): DefaultAccess {
    return this.#access;
  }

  /** Reads the classes, creates missing system classes, and keeps up with changes by other processes. */
  async load(onError: (error: unknown, activity: string) => void): Promise<void> {
    await this.refresh();
    await this.#readAccess();
    this.#store.subscribe((message) => {
      if (message !== undefined && !message.startsWith(CLASS_CHANGED_PREFIX)) return;
      // An import that creates classes may change the default access.
      const reloaded = this.refresh(message?.slice(CLASS_CHANGED_PREFIX.length)).then(() =>
        this.#readAccess(),
      );
      // Until the class has been reloaded, the cached one is used.
      reloaded.catch((error: unknown) => onError(error, "reloading classes that another process changed"));
    });
    for (const className of this.#rules.keys()) await this.#ensureSystemClass(className);
  }

  get(className: string): ClassSchema | undefined {
    return this.#classes.get(className);
  }

  /** Returns a class that must exist. Throws 103 otherwise. */
  require(className: string): ClassSchema {
    const schema = this.#classes.get(className);
    if (!schema) throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, `Class ${className} does not exist`);
    return schema;
  }

  all(): ClassSchema[] {
    return [...this.#classes.values()];
  }

  /** Throws 111 if a field of the class has another type than an operation requires. Does not change the class. */
  assertCompatible(className: string, operations: Record<string, Operation>): void {
    const schema = this.#classes.get(className);
    if (schema) missingFields(schema, operations);
  }

  /**
   * Returns the schema of a class that the operations can be stored with as it is; undefined if it has to grow. Throws
   * 111 on a type mismatch.
   */
  fitting(className: string, operations: Record<string, Operation>): ClassSchema | undefined {
    const schema = this.#classes.get(className);
    if (!schema) return undefined;
    const { missing, mismatch } = compareFields(schema, operations);
    // The permission to add missing fields is checked before types.
    for (const _ in missing) return undefined;
    if (mismatch) throw mismatch;
    return schema;
  }

  /**
   * Returns a schema that the operations can be stored with: at once if the class does not have to grow. Creates the
   * class or adds fields if necessary; `authorizeGrowth` is called before and returns the limits. Throws or rejects with
   * 111 if a field has another type, with 119 if a limit is exceeded.
   */
  ensureForWrite(
    className: string,
    operations: Record<string, Operation>,
    authorizeGrowth: (schema: ClassSchema | undefined) => GrowthLimits | undefined,
  ): ClassSchema | Promise<ClassSchema> {
    const current = this.#classes.get(className);
    const { missing: added, mismatch } = current ? compareFields(current, operations) : {};
    // The permission to add fields is checked before types.
    const grows = added === undefined || Object.keys(added).length > 0;
    const limits = grows ? authorizeGrowth(current) : undefined;
    if (mismatch) throw mismatch;
    if (current && !grows) return current;
    return this.change(className, (schema) => {
      const missing = missingFields(schema, operations);
      const isNew = !this.#classes.has(className);
      if (!isNew && Object.keys(missing).length === 0) return schema;
      const fields = { ...schema.fields, ...missing };
      // Changes run one after the other, so the current counts are accurate.
      if (limits) this.#assertGrowthLimits(limits, className, isNew, Object.keys(fields).length);
      return { ...schema, fields };
    });
  }

  /**
   * Creates or changes a class. Changes run one after the other, also across processes. `edit` may return its argument
   * for no change.
   */
  change(className: string, edit: (schema: ClassSchema) => ClassSchema): Promise<ClassSchema> {
    const changed = this.#changes.then(async () => {
      let isChanged = false;
      const schema = await this.#store.changeClass(className, (current) => {
        const edited = this.#withPermissions(edit(current ?? this.newClass(className)), current);
        isChanged = edited !== current;
        return edited;
      });
      const cached = this.#cache(schema);
      if (isChanged) await this.#store.publish(CLASS_CHANGED_PREFIX + className);
      return cached;
    });
    this.#changes = changed.catch(() => undefined);
    return changed;
  }

  /** Creates a new class. Throws 103 if it exists. */
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
    // A built-in class is recreated empty at once.
    if (this.#rules.has(className)) await this.#ensureSystemClass(className);
    await this.#store.publish(CLASS_CHANGED_PREFIX + className);
  }

  /**
   * Adds the columns that tables lack, which rewrites them. Returns the fields with new columns by class, for classes
   * that have any; undefined if the database has no such columns.
   */
  async addColumns(): Promise<Map<string, string[]> | undefined> {
    if (!this.#store.addColumns) return undefined;
    const added = new Map<string, string[]>();
    for (const { className, columns = {} } of this.all()) {
      const schema = await this.#store.addColumns(className);
      const fields = Object.keys(schema?.columns ?? {}).filter((field) => !Object.hasOwn(columns, field));
      if (!schema || fields.length === 0) continue;
      added.set(className, fields);
      this.#cache(schema);
      await this.#store.publish(CLASS_CHANGED_PREFIX + className);
    }
    return added;
  }

  /** Reloads a class that another process may have changed; without a name, all classes. */
  async refresh(className?: string): Promise<void> {
    const loaded = await this.#store.loadClasses(className);
    const classes = loaded.filter((schema) => !isStudioClass(schema.className));
    for (const schema of classes) this.#cache(schema);
    const found = new Set(classes.map((schema) => schema.className));
    for (const known of className === undefined ? [...this.#classes.keys()] : [className]) {
      if (!found.has(known)) this.#classes.delete(known);
    }
  }

  /** Keeps the identity of an unchanged schema, so that statements compiled for it remain cached. */
  #cache(schema: ClassSchema): ClassSchema {
    const known = this.#classes.get(schema.className);
    if (known && JSON.stringify(known) === JSON.stringify(schema)) return known;
    this.#classes.set(schema.className, schema);
    return schema;
  }

  #assertGrowthLimits(limits: GrowthLimits, className: string, isNew: boolean, fields: number): void {
    if (isNew && this.#classes.size >= limits.classes) {
      throw operationForbidden(
        `The class ${className} cannot be created: clients can only create classes while there are fewer than ${limits.classes}.`,
      );
    }
    if (fields > limits.fields) {
      throw operationForbidden(
        `The class ${className} would have ${fields} fields: clients can only add fields up to ${limits.fields}.`,
      );
    }
  }

  async #readAccess(): Promise<void> {
    this.#access = this.#decideAccess(await recordedAccess(this.#store, this.all()));
  }

  /** Removing all permissions of a class leaves it as a new class. One that was open from before stays open. */
  #withPermissions(edited: ClassSchema, current: ClassSchema | undefined): ClassSchema {
    if (!hasUnsetPermissions(edited) || (current && hasUnsetPermissions(current))) return edited;
    const classLevelPermissions = unsetPermissions(edited.className, this.#access);
    return hasUnsetPermissions({ ...edited, classLevelPermissions })
      ? edited
      : { ...edited, classLevelPermissions };
  }

  /** The fields that a system class has in any case; none for other classes. */
  builtInFields(className: string): string[] {
    return Object.keys(this.#rules.get(className)?.fields ?? {});
  }

  /** A class that does not exist yet, as it would be created. */
  newClass(className: string): ClassSchema {
    assertClassName(className);
    const rules = this.#rules.get(className);
    return {
      className,
      table: this.#allocateTableName(className),
      fields: { ...rules?.fields },
      classLevelPermissions: {
        ...unsetPermissions(className, this.#access),
        ...rules?.classLevelPermissions,
      },
      indexes: { ...rules?.indexes },
    };
  }

  async #ensureSystemClass(className: string): Promise<void> {
    const known = this.#classes.get(className);
    const { fields = {}, indexes = {} } = this.#rules.get(className) ?? {};
    const isCurrent =
      known &&
      Object.keys(fields).every((name) => Object.hasOwn(known.fields, name)) &&
      Object.keys(indexes).every((name) => Object.hasOwn(known.indexes, name));
    if (isCurrent) return;
    await this.change(className, (schema) => ({
      ...schema,
      fields: { ...schema.fields, ...fields },
      indexes: { ...schema.indexes, ...indexes },
    }));
  }

  /** Returns an unused table name. Table names are case-insensitive, class names are not. */
  #allocateTableName(className: string): string {
    const usedNames = new Set([...this.#classes.values()].map((schema) => schema.table.toLowerCase()));
    // Avoids collisions with internal tables of the server and of the databases.
    const safe = /^(purse_|sqlite_|pg_)/i.test(className) ? `~${className}` : className;
    // Databases truncate long names, so they are shortened in a unique way.
    const base = safe.length <= MAX_TABLE_NAME ? safe : `${safe.slice(0, 30)}~${shortHash(safe)}`;
    let table = base;
    for (let i = 2; usedNames.has(table.toLowerCase()); i++) table = `${base}~${i}`;
    return table;
  }
}

const MAX_TABLE_NAME = 40;

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 9);
}
