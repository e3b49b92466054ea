import { compileMatcher, type JsonObject, parseWhere } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { ARRAY_PATH_CASES, folders, orders, storedFolders, storedOrders } from "../../../test/arrayPaths.ts";
import { openSqliteTables, queryOn, subQueriesOf } from "../../../test/sqliteTables.ts";
import { compileRegex } from "../../core/regex.ts";

const tables = openSqliteTables();
tables.insert(orders, storedOrders);
tables.insert(folders, storedFolders);

/** The ids of the objects that SQL finds, in alphabetical order. */
function find(where: JsonObject): string[] {
  const condition = parseWhere(where);
  const subqueries = new Map(subQueriesOf(condition).map((each) => [each, queryOn(folders, each.where)]));
  return tables.findIds(queryOn(orders, condition, { subqueries })).sort();
}

/** The same, in memory. */
function match(where: JsonObject): string[] {
  const matches = compileMatcher(parseWhere(where), {
    regex: compileRegex,
    subQuery: (query) => storedFolders.filter(compileMatcher(query.where, { regex: compileRegex })),
  });
  return storedOrders
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
