import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  parseWhere,
} from "@purse/protocol";
import { internalRequest, MASTER } from "../../core/authContext.ts";
import { findRows } from "../../database/serverRows.ts";
import type { Store } from "../../database/store.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { Objects } from "./objects.ts";
import { parseFields } from "./parseFields.ts";
import type { WriteOptions } from "./writeOptions.ts";
import { BatchTransaction } from "./writeTransaction.ts";

/** The bulk functions of Moralis v1. */
export type BulkOperation = "bulkWrite" | "bulkUpdate" | "bulkUpdateMany" | "bulkDelete" | "bulkDeleteMany";

/** What a bulk function has done, under the names of MongoDB. */
export type BulkResult = {
  insertedCount: number;
  matchedCount: number;
  modifiedCount: number;
  deletedCount: number;
};

/** Executes a bulk function with all permissions. Rejects with ProtocolError before anything is written if an item is invalid. */
export type RunBulk = (operation: BulkOperation, className: string, items: JsonValue) => Promise<BulkResult>;

interface BulkItem {
  filter: JsonObject;
  update: JsonObject;
}

/** Objects that are written in one transaction. */
const BATCH_SIZE = 200;
const MAX_ITEMS = 100_000;
/** Conditions that need other queries. */
const SUBQUERIES = /^\$(inQuery|notInQuery|select|dontSelect|relatedTo)$/;

/** Creates the bulk functions: they write like saves with the master key, but run no triggers. */
export function createBulkWrites({
  objects,
  schemas,
  store,
}: {
  objects: Pick<Objects, "create" | "update" | "remove">;
  schemas: Pick<Schemas, "get">;
  store: Store;
}): RunBulk {
  const request = internalRequest(MASTER);

  return async (operation, className, sent) => {
    const items = parseItems(operation, sent);
    const result: BulkResult = { insertedCount: 0, matchedCount: 0, modifiedCount: 0, deletedCount: 0 };
    if (operation === "bulkWrite") {
      for (const batch of chunksOf(items)) {
        await writeInTransaction(batch, ({ update }, options) =>
          objects.create(request, className, update, options),
        );
        result.insertedCount += batch.length;
      }
      return result;
    }
    const isDelete = operation === "bulkDelete" || operation === "bulkDeleteMany";
    const limit = operation === "bulkUpdate" || operation === "bulkDelete" ? 1 : undefined;
    // An item may concern what an earlier one has written, unless they touch different fields.
    const batches = !isDelete && areIndependent(items) ? chunksOf(items) : items.map((item) => [item]);
    for (const batch of batches) {
      const found = await Promise.all(batch.map(({ filter }) => idsOf(className, filter, limit)));
      const changes = batch.flatMap(({ update }, i) => (found[i] ?? []).map((id) => ({ id, update })));
      for (const chunk of chunksOf(changes)) {
        const done = await writeInTransaction(chunk, ({ id, update }, options) =>
          isDelete
            ? objects.remove(request, className, id, options)
            : objects.update(request, className, id, update, options),
        );
        if (isDelete) result.deletedCount += done;
        else result.modifiedCount += done;
      }
      if (!isDelete) result.matchedCount += changes.length;
    }
    return result;
  };

  /** Returns the ids of the objects that match, or of the first ones. */
  async function idsOf(className: string, filter: JsonObject, limit: number | undefined): Promise<string[]> {
    const schema = schemas.get(className);
    if (!schema) return [];
    if (limit !== undefined) return read(filter, undefined, limit);
    const ids: string[] = [];
    for (;;) {
      const last = ids.at(-1);
      const rest = last === undefined ? filter : { $and: [filter, { objectId: { $gt: last } }] };
      const page = await read(rest, "objectId", BATCH_SIZE);
      ids.push(...page);
      if (page.length < BATCH_SIZE) return ids;
    }

    async function read(where: JsonObject, order: string | undefined, pageLimit: number): Promise<string[]> {
      if (!schema) return [];
      const rows = await findRows(store, schema, { where: parseWhere(where), order, limit: pageLimit });
      return rows.map(({ objectId }) => String(objectId));
    }
  }

  /**
   * Writes several objects in one transaction. If one of them has been deleted in the meantime, the others are written
   * one by one. Returns the number of objects that were written.
   */
  async function writeInTransaction<Item>(
    items: readonly Item[],
    write: (item: Item, options: WriteOptions) => Promise<unknown>,
  ): Promise<number> {
    const transaction = new BatchTransaction(store, items.length);
    const outcomes = await Promise.allSettled(
      items.map(async (item) => {
        let hasJoined = false;
        const add: BatchTransaction["add"] = (writes) => {
          hasJoined = true;
          return transaction.add(writes);
        };
        try {
          await write(item, { skipsTriggers: true, transaction: { add } });
        } catch (error) {
          if (!hasJoined) transaction.fail(error);
          throw error;
        }
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (!failed) return items.length;
    if (!isMissing(failed.reason)) throw failed.reason;
    let count = 0;
    for (const item of items) {
      try {
        await write(item, { skipsTriggers: true });
        count += 1;
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
    return count;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === ErrorCode.OBJECT_NOT_FOUND;
}

function parseItems(operation: BulkOperation, sent: JsonValue): BulkItem[] {
  const takes = {
    filter: operation !== "bulkWrite",
    update: operation !== "bulkDelete" && operation !== "bulkDeleteMany",
  };
  const format = Object.entries(takes).flatMap(([name, isTaken]) => (isTaken ? [`${name}: { … }`] : []));
  const expected = `${operation} takes a list of { ${format.join(", ")} }`;
  if (!Array.isArray(sent) || sent.length > MAX_ITEMS) throw invalid(`${expected}, at most ${MAX_ITEMS}`);
  return sent.map((item, i) => {
    if (!isJsonObject(item)) throw invalid(`${expected}: item ${i} is none`);
    const { filter = {}, update = {}, ...others } = item;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw invalid(`${expected}: item ${i} has ${unknown.slice(0, 64)}`);
    if (!isJsonObject(filter) || !isJsonObject(update))
      throw invalid(`${expected}: item ${i} has no objects`);
    for (const [name, isTaken] of Object.entries(takes))
      if (Object.hasOwn(item, name) !== isTaken)
        throw invalid(`${expected}: item ${i} ${isTaken ? "lacks" : "has"} ${name}`);
    const where = withObjectId(filter);
    assertNoSubqueries(where);
    parseWhere(where);
    parseFields(update, {});
    return { filter: where, update };
  });
}

/** Filters of MongoDB call it `_id`. */
function withObjectId({ _id, ...filter }: JsonObject): JsonObject {
  return _id === undefined ? filter : { ...filter, objectId: _id };
}

function assertNoSubqueries(value: JsonValue): void {
  if (Array.isArray(value)) for (const item of value) assertNoSubqueries(item);
  else if (isJsonObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      if (SUBQUERIES.test(key))
        throw new ProtocolError(ErrorCode.INVALID_QUERY, `filters of bulk functions cannot have ${key}`);
      assertNoSubqueries(inner);
    }
  }
}

/** Whether no item changes a field that a filter looks at. */
function areIndependent(items: readonly BulkItem[]): boolean {
  const rootOf = (path: string) => path.split(".", 1)[0] ?? "";
  const written = new Set(["updatedAt", ...items.flatMap(({ update }) => Object.keys(update).map(rootOf))]);
  return items.every(({ filter }) =>
    Object.keys(filter).every((path) => !path.startsWith("$") && !written.has(rootOf(path))),
  );
}

function chunksOf<Item>(items: readonly Item[]): Item[][] {
  const chunks: Item[][] = [];
  for (let from = 0; from < items.length; from += BATCH_SIZE)
    chunks.push(items.slice(from, from + BATCH_SIZE));
  return chunks;
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, message);
}
