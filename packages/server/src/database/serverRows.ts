import { type Condition, type JsonObject, type Operation, parseOrder } from "@purse/protocol";
import type { ClassSchema } from "./classSchema.ts";
import type { Store, StoreQuery, Write } from "./store.ts";

export interface RowSelection {
  /** All objects if it is missing. */
  where?: Condition | undefined;
  /** As in the API: `a,-b`. */
  order?: string | undefined;
  limit?: number | undefined;
  skip?: number;
}

/** A query of the server itself, which bypasses ACLs. */
export function serverQuery(
  schema: ClassSchema,
  { where, order, limit, skip }: RowSelection = {},
): StoreQuery {
  return {
    schema,
    where: where ?? { kind: "and", conditions: [] },
    order: parseOrder(order),
    limit,
    skip: skip ?? 0,
    subjects: null,
  };
}

/** Reads objects for the server itself, regardless of ACLs. */
export async function findRows(
  store: Pick<Store, "find">,
  schema: ClassSchema,
  selection: RowSelection = {},
): Promise<JsonObject[]> {
  const texts = await store.find(serverQuery(schema, selection));
  return texts.map((text): JsonObject => JSON.parse(text));
}

/** Reads one object for the server itself; undefined if it does not exist. */
export async function getRow(
  store: Pick<Store, "get">,
  schema: ClassSchema,
  id: string,
): Promise<JsonObject | undefined> {
  const text = await store.get(schema, id, null);
  return text === undefined ? undefined : JSON.parse(text);
}

/** The write that creates an object; `now` in ms since the epoch. */
export function createRow(
  schema: ClassSchema,
  id: string,
  now: number,
  fields: JsonObject,
): Extract<Write, { kind: "create" }> {
  const at = new Date(now).toISOString();
  return {
    kind: "create",
    schema,
    id,
    at,
    object: { objectId: id, createdAt: at, updatedAt: at, ...fields },
  };
}

/** The write that sets fields of an object, and removes those that are null; `now` in ms since the epoch. */
export function updateRow(
  schema: ClassSchema,
  id: string,
  now: number,
  fields: JsonObject,
): Extract<Write, { kind: "update" }> {
  const operations = Object.fromEntries(
    Object.entries(fields).map(([name, value]): [string, Operation] => [
      name,
      value === null ? { op: "Delete" } : { op: "Set", value },
    ]),
  );
  return { kind: "update", schema, id, at: new Date(now).toISOString(), operations, subjects: null };
}
