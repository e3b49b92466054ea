import { compileMatcher, type JsonObject, parseWhere } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { ARRAY_PATH_CASES, folders, orders, storedFolders, storedOrders } from "../../../test/arrayPaths.ts";
import { lists, NULL_ITEM_CASES, storedLists } from "../../../test/nullItems.ts";
import { openSqliteTables, queryOn, subQueriesOf } from "../../../test/sqliteTables.ts";
import { compileRegex } from "../../core/regex.ts";
import type { ClassSchema } from "../classSchema.ts";

const tables = openSqliteTables();
tables.insert(orders, storedOrders);
tables.insert(folders, storedFolders);
tables.insert(lists, storedLists);

/** The ids of the objects that SQL finds, in alphabetical order. */
function find(where: JsonObject, schema: ClassSchema = orders): string[] {
  const condition = parseWhere(where);
  const subqueries = new Map(subQueriesOf(condition).map((each) => [each, queryOn(folders, each.where)]));
  return tables.findIds(queryOn(schema, condition, { subqueries })).sort();
}

/** The same, in memory. */
function match(where: JsonObject, objects: readonly JsonObject[] = storedOrders): string[] {
  const matches = compileMatcher(parseWhere(where), {
    regex: compileRegex,
    subQuery: (query) => storedFolders.filter(compileMatcher(query.where, { regex: compileRegex })),
  });
  return objects
    .filter(matches)
    .map(({ objectId }) => String(objectId))
    .sort();
}

describe("a condition on a path through arrays finds what MongoDB finds", () => {
  it.each(ARRAY_PATH_CASES)("in memory: %s", (_name, where, expected) => {
    expect(match(where)).toEqual([...expected].sort());
  });

  it.each(ARRAY_PATH_CASES)("on SQLite: %s", (_name, where, expected) => {
    expect(find(where)).toEqual([...expected].sort());
  });
});

describe("a condition on arrays with null finds what MongoDB finds", () => {
  it.each(NULL_ITEM_CASES)("in memory: %s", (_name, where, expected) => {
    expect(match(where, storedLists)).toEqual([...expected].sort());
  });

  it.each(NULL_ITEM_CASES)("on SQLite: %s", (_name, where, expected) => {
    expect(find(where, lists)).toEqual([...expected].sort());
  });
});
