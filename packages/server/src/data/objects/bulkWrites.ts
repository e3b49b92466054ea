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
import { BATCH_SIZE, pagesOf, parseFilter, writeInBulk } from "./bulkAccess.ts";
import type { Objects } from "./objects.ts";
import { parseFields } from "./parseFields.ts";

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

const MAX_ITEMS = 100_000;

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
        await writeInBulk(store, batch, ({ update }, options) =>
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
        const done = await writeInBulk(store, chunk, ({ id, update }, options) =>
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
    if (limit !== undefined) {
      const rows = await findRows(store, schema, { where: parseWhere(filter), limit });
      return rows.map(({ objectId }) => String(objectId));
    }
    const ids: string[] = [];
    for await (const page of pagesOf(store, schema, filter))
      ids.push(...page.map(({ objectId }) => String(objectId)));
    return ids;
  }
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
    parseFilter(where);
    parseFields(update, {});
    return { filter: where, update };
  });
}

/** Filters of MongoDB call it `_id`. */
function withObjectId({ _id, ...filter }: JsonObject): JsonObject {
  return _id === undefined ? filter : { ...filter, objectId: _id };
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
