import { ErrorCode, type JsonObject, type Operation, ProtocolError, parseWhere } from "@purse/protocol";
import { isConflict, stringField } from "../../chainWork/rowFields.ts";
import { MASTER, type RequestContext } from "../../core/authContext.ts";
import type { Logger } from "../../core/logger.ts";
import { idsCondition } from "../../data/objects/include.ts";
import type { Objects } from "../../data/objects/objects.ts";
import { BatchTransaction, type WriteTransaction } from "../../data/objects/writeTransaction.ts";
import type { Schemas } from "../../data/schema/schemas.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { findRows } from "../../database/serverRows.ts";
import { type Store, UPDATE_CONFLICT, type Write } from "../../database/store.ts";

export interface EventWriterDependencies {
  store: Store;
  schemas: Schemas;
  objects: Objects;
  logger: Logger;
}

/** A change of the object of an event. */
export type EventChange =
  | { kind: "created"; object: JsonObject & { objectId: string } }
  | { kind: "removed" | "confirmed"; object: JsonObject }
  /** Sets the fields of an object. */
  | { kind: "updated"; object: JsonObject };

/** Number of objects per transaction. */
const RENAME_BATCH = 500;

const EVENT_FIELDS = {
  block_hash: { type: "String" },
  confirmed: { type: "Boolean" },
} as const satisfies ClassSchema["fields"];

/** Permissions that let only the server create events. */
const SERVER_ONLY_PERMISSIONS = { create: {}, update: {}, delete: {}, addField: {} };

/** Writes the objects of events with triggers and live queries, in one transaction with the cursor. */
export class EventWriter {
  readonly #dependencies: EventWriterDependencies;

  constructor(dependencies: EventWriterDependencies) {
    this.#dependencies = dependencies;
  }

  /** Creates the class if needed. The permissions of an existing class are kept. */
  async prepare(className: string, fields: ClassSchema["fields"] = EVENT_FIELDS): Promise<void> {
    const indexes = { chain_block: { chain_id: 1, block_number: 1 } } as const;
    const existing = this.#dependencies.schemas.get(className);
    const hasFields = Object.keys(fields).every(
      (name) => existing !== undefined && Object.hasOwn(existing.fields, name),
    );
    if (existing && "chain_block" in existing.indexes && hasFields) return;
    await this.#dependencies.schemas.change(className, (schema) => ({
      ...schema,
      fields: {
        chain_id: { type: "Number" },
        block_number: { type: "Number" },
        ...fields,
        ...schema.fields,
      },
      classLevelPermissions: existing
        ? schema.classLevelPermissions
        : { ...SERVER_ONLY_PERMISSIONS, ...schema.classLevelPermissions },
      indexes: { ...schema.indexes, ...indexes },
    }));
  }

  /**
   * Renames fields of a class and of its objects, which keep their times and run no triggers. Fields that the class does
   * not have are ignored, so it can be interrupted and repeated.
   */
  async renameFields(className: string, names: ReadonlyMap<string, string>): Promise<void> {
    const { store, schemas, logger } = this.#dependencies;
    const present = new Map(
      [...names].filter(([from]) => Object.hasOwn(schemas.require(className).fields, from)),
    );
    if (present.size === 0) return;
    await schemas.change(className, (schema) => {
      const fields = { ...schema.fields };
      for (const [from, to] of present) {
        const type = fields[from];
        if (type) fields[to] ??= type;
      }
      return { ...schema, fields };
    });
    const where = parseWhere({ $or: [...present.keys()].map((from) => ({ [from]: { $exists: true } })) });
    for (;;) {
      const schema = schemas.require(className);
      const rows = await findRows(store, schema, { where, limit: RENAME_BATCH });
      if (rows.length === 0) break;
      const writes = rows.map((row) => renameWrite(schema, row, present));
      try {
        await store.write(writes);
      } catch (error) {
        // An object was changed or deleted in the meantime: it is read again.
        const isChanged = error instanceof ProtocolError && error.code === UPDATE_CONFLICT;
        if (!isChanged && !isConflict(error)) throw error;
      }
    }
    await schemas.change(className, (schema) => ({
      ...schema,
      fields: Object.fromEntries(Object.entries(schema.fields).filter(([name]) => !present.has(name))),
      indexes: renameIndexed(schema.indexes, present),
    }));
    logger.info("fields of on-chain events were renamed", {
      className,
      fields: Object.fromEntries(present),
    });
  }

  /** Finds objects of a chain's events by additional conditions, in the order of their blocks. */
  async find(className: string, chainId: number, where: JsonObject, limit: number): Promise<JsonObject[]> {
    const { store, schemas } = this.#dependencies;
    return findRows(store, schemas.require(className), {
      where: parseWhere({ chain_id: chainId, ...where }),
      order: "block_number,objectId",
      limit,
    });
  }

  /** Returns the objects that do not exist yet. */
  async missing<T extends { objectId: string }>(className: string, objects: T[]): Promise<T[]> {
    if (objects.length === 0) return [];
    const { store, schemas } = this.#dependencies;
    const where = idsCondition(objects.map(({ objectId }) => objectId));
    const rows = await findRows(store, schemas.require(className), { where, limit: objects.length });
    const existing = new Set(rows.map(({ objectId }) => String(objectId)));
    return objects.filter(({ objectId }) => !existing.has(objectId));
  }

  /**
   * Writes changes and additional writes in one transaction. Changes that a trigger rejects are skipped. Returns the
   * changes that were written. Rejects with a unique constraint error if an additional write does.
   */
  async write(
    className: string,
    changes: EventChange[],
    additionalWrites: (written: EventChange[]) => Write[],
  ): Promise<EventChange[]> {
    const { store, logger } = this.#dependencies;
    const transaction = new BatchTransaction(store, changes.length + 1);
    const pendingChanges = changes.map((change) => {
      const settled = Promise.withResolvers<"added" | "rejected" | "failed">();
      const join: WriteTransaction["add"] = (writes) => {
        settled.resolve("added");
        return transaction.add(writes);
      };
      const completed = this.#change(className, change, { add: join });
      completed.catch((error: unknown) => {
        if (!isRejection(error)) return settled.resolve("failed");
        settled.resolve("rejected");
        logger.warn("cloud code rejected an event", { className, change: change.kind, error: error.message });
      });
      return { change, settled: settled.promise, completed };
    });
    const outcomes = await Promise.all(pendingChanges.map(({ settled }) => settled));
    const written = changes.filter((_, i) => outcomes[i] === "added");
    for (const outcome of outcomes) {
      if (outcome === "rejected") transaction.skip();
      if (outcome === "failed") transaction.fail(new Error("an event could not be stored"));
    }
    await transaction.add(additionalWrites(written));
    await Promise.all(pendingChanges.map(({ completed }, i) => outcomes[i] === "added" && completed));
    return written;
  }

  async #change(className: string, change: EventChange, transaction: WriteTransaction): Promise<void> {
    const { objects } = this.#dependencies;
    const request = serverRequest();
    if (change.kind === "created") {
      await objects.create(request, className, change.object, { allowCustomId: true, transaction });
      return;
    }
    const { objectId } = change.object;
    if (typeof objectId !== "string") throw new Error("an object without an id");
    if (change.kind === "removed") await objects.remove(request, className, objectId, { transaction });
    else {
      const { objectId: _, ...fields } = change.object;
      const changed = change.kind === "updated" ? fields : { confirmed: true };
      await objects.update(request, className, objectId, changed, { transaction });
    }
  }
}

/** Returns the write that renames fields of an object; an object that has the new field keeps its value. */
function renameWrite(schema: ClassSchema, row: JsonObject, names: ReadonlyMap<string, string>): Write {
  const operations: Record<string, Operation> = {};
  for (const [from, to] of names) {
    operations[from] = { op: "Delete" };
    const value = row[from];
    if (value === undefined || value === null || Object.hasOwn(row, to)) continue;
    operations[to] = { op: "Set", value: schema.fields[to]?.type === "Number" ? Number(value) : value };
  }
  const updatedAt = stringField(row, "updatedAt");
  return {
    kind: "update",
    schema,
    id: stringField(row, "objectId"),
    at: updatedAt,
    ifUpdatedAt: updatedAt,
    operations,
    subjects: null,
  };
}

function renameIndexed(
  indexes: ClassSchema["indexes"],
  names: ReadonlyMap<string, string>,
): ClassSchema["indexes"] {
  return Object.fromEntries(
    Object.entries(indexes).map(([index, keys]) => [
      index,
      Object.fromEntries(Object.entries(keys).map(([key, direction]) => [names.get(key) ?? key, direction])),
    ]),
  );
}

/** A request of the server itself. */
export function serverRequest(): RequestContext {
  return { auth: MASTER, installationId: undefined, context: {}, ip: "127.0.0.1", requestId: "" };
}

/** Whether cloud code rejected an event, as opposed to a temporary failure. */
export function isRejection(error: unknown): error is ProtocolError {
  const { TIMEOUT, INTERNAL_SERVER_ERROR, CONNECTION_FAILED } = ErrorCode;
  const temporary: readonly number[] = [TIMEOUT, INTERNAL_SERVER_ERROR, CONNECTION_FAILED];
  return error instanceof ProtocolError && !temporary.includes(error.code);
}
