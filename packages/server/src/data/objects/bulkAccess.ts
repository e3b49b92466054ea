import {
  type Condition,
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  parseWhere,
} from "@purse/protocol";
import type { ClassSchema } from "../../database/classSchema.ts";
import { findRows } from "../../database/serverRows.ts";
import type { Store } from "../../database/store.ts";
import type { WriteOptions } from "./writeOptions.ts";
import { BatchTransaction } from "./writeTransaction.ts";

/** Writes an object as the options say. */
export type BulkWrite<Item> = (item: Item, options: WriteOptions) => Promise<unknown>;

/** Objects that are read, and written in one transaction, together. */
export const BATCH_SIZE = 200;
/** Conditions that need other queries. */
const SUBQUERIES = /^\$(inQuery|notInQuery|select|dontSelect|relatedTo)$/;

/** Parses the condition of an access without triggers. Throws 102 for conditions that need other queries. */
export function parseFilter(where: JsonObject): Condition {
  assertNoSubqueries(where);
  return parseWhere(where);
}

function assertNoSubqueries(value: JsonValue): void {
  if (Array.isArray(value)) for (const item of value) assertNoSubqueries(item);
  else if (isJsonObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      if (SUBQUERIES.test(key))
        throw new ProtocolError(
          ErrorCode.INVALID_QUERY,
          `conditions of bulk functions and migrations cannot have ${key}`,
        );
      assertNoSubqueries(inner);
    }
  }
}

/** Reads all objects that match in pages, by id: those that no longer match once they are written do not move others. */
export async function* pagesOf(
  store: Pick<Store, "find">,
  schema: ClassSchema,
  where: JsonObject,
): AsyncGenerator<JsonObject[]> {
  let last: JsonValue | undefined;
  for (;;) {
    const rest = last === undefined ? where : { $and: [where, { objectId: { $gt: last } }] };
    const page = await findRows(store, schema, {
      where: parseFilter(rest),
      order: "objectId",
      limit: BATCH_SIZE,
    });
    if (page.length > 0) yield page;
    if (page.length < BATCH_SIZE) return;
    last = page.at(-1)?.objectId;
  }
}

/**
 * Writes several objects in one transaction, without triggers. If one of them has been deleted in the meantime, the others are
 * written one by one. Returns the number of objects that were written.
 */
export async function writeInBulk<Item>(
  store: Pick<Store, "write">,
  items: readonly Item[],
  write: BulkWrite<Item>,
): Promise<number> {
  const outcomes = await writeInTransaction(store, items, write);
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (!failed) return items.length;
  if (!isMissing(failed.reason)) throw failed.reason;
  let count = 0;
  for (const item of items) {
    const [outcome] = await writeInTransaction(store, [item], write);
    if (outcome?.status === "fulfilled") count += 1;
    else if (!isMissing(outcome?.reason)) throw outcome?.reason;
  }
  return count;
}

function writeInTransaction<Item>(
  store: Pick<Store, "write">,
  items: readonly Item[],
  write: BulkWrite<Item>,
): Promise<PromiseSettledResult<unknown>[]> {
  const transaction = new BatchTransaction(store, items.length);
  return Promise.allSettled(
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
      if (!hasJoined) transaction.skip();
    }),
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === ErrorCode.OBJECT_NOT_FOUND;
}
