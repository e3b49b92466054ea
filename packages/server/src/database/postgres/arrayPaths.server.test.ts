import { type JsonObject, parseWhere } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ARRAY_PATH_CASES, folders, orders, storedFolders, storedOrders } from "../../../test/arrayPaths.ts";
import { lists, NULL_ITEM_CASES, storedLists } from "../../../test/nullItems.ts";
import { createDatabase } from "../../../test/postgresDatabase.ts";
import { queryOn, subQueriesOf } from "../../../test/sqliteTables.ts";
import type { ClassSchema } from "../classSchema.ts";
import { openStore } from "../openStore.ts";
import type { Store } from "../store.ts";

let store: Store;

beforeAll(async () => {
  store = await openStore({ kind: "postgres", url: await createDatabase(), connections: 2 });
  await insert(orders, storedOrders);
  await insert(folders, storedFolders);
  await insert(lists, storedLists);
});

afterAll(() => store.close());

async function insert(schema: ClassSchema, objects: readonly JsonObject[]): Promise<void> {
  const created = await store.changeClass(schema.className, () => schema);
  await store.write(
    objects.map((object) => ({
      kind: "create",
      schema: created,
      id: String(object.objectId),
      at: String(object.createdAt),
      object,
    })),
  );
}

/** The ids of the objects that PostgreSQL finds, in alphabetical order. */
async function find(where: JsonObject, schema: ClassSchema = orders): Promise<string[]> {
  const condition = parseWhere(where);
  const subqueries = new Map(subQueriesOf(condition).map((each) => [each, queryOn(folders, each.where)]));
  const found = await store.find(queryOn(schema, condition, { subqueries }));
  return found.map((text) => String(Object(JSON.parse(text)).objectId)).sort();
}

describe("a condition on a path through arrays finds on PostgreSQL what MongoDB finds", () => {
  it.each(ARRAY_PATH_CASES)("%s", async (_name, where, expected) => {
    expect(await find(where)).toEqual([...expected].sort());
  });
});

describe("a condition on arrays with null finds on PostgreSQL what MongoDB finds", () => {
  it.each(NULL_ITEM_CASES)("%s", async (_name, where, expected) => {
    expect(await find(where, lists)).toEqual([...expected].sort());
  });
});
