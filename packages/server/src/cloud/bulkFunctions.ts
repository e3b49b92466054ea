import { ParseObject } from "@purse/client";
import { isJsonObject, isRecord, type JsonValue } from "@purse/protocol";
import type { BulkOperation, BulkResult } from "../data/objects/bulkWrites.ts";
import type { HostRequest } from "./workerMessages.ts";

/** `update` has the fields to write, `filter` the conditions of a query. */
interface BulkItem {
  filter?: object;
  update?: object;
}

/**
 * The bulk functions of Moralis v1: they write many objects with all permissions and without triggers. Each rejects before
 * it writes anything if an item is invalid.
 */
export type BulkFunctions = Record<
  BulkOperation,
  (className: string, items: readonly BulkItem[]) => Promise<BulkResult>
>;

export function createBulkFunctions(callHost: (request: HostRequest) => Promise<unknown>): BulkFunctions {
  const run = (operation: BulkOperation) => async (className: string, items: readonly BulkItem[]) => {
    const encoded = Array.isArray(items) ? items.map((item) => encode(operation, item)) : null;
    const result = await callHost({ kind: "bulk", operation, className: String(className), items: encoded });
    if (!isBulkResult(result)) throw new Error("The server sent no response");
    return result;
  };
  return {
    bulkWrite: run("bulkWrite"),
    bulkUpdate: run("bulkUpdate"),
    bulkUpdateMany: run("bulkUpdateMany"),
    bulkDelete: run("bulkDelete"),
    bulkDeleteMany: run("bulkDeleteMany"),
  };
}

/** Encodes dates, pointers and other values as a save does. */
function encode(operation: BulkOperation, item: unknown): JsonValue {
  if (!isRecord(item)) return null;
  const holder = new ParseObject("Bulk");
  for (const [name, value] of Object.entries(item)) {
    // Without the condition, the filter would match other objects.
    const missing = isRecord(value) ? Object.keys(value).find((key) => value[key] === undefined) : undefined;
    if (name === "filter" && missing !== undefined)
      throw new Error(`${operation}: ${missing} of a filter is undefined`);
    if (value !== undefined) holder._set({ [name]: value }, { ignoreValidation: true });
  }
  return holder._saveParams().body;
}

function isBulkResult(value: unknown): value is BulkResult {
  return isJsonObject(value) && typeof value.insertedCount === "number";
}
