import { compileMatcher, type JsonObject, parseWhere } from "@purse/protocol";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { FIELDS, folders, notes, wheres } from "../../../test/permissionScenarios.ts";
import { openSqliteTables, queryOn, subQueriesOf } from "../../../test/sqliteTables.ts";
import { NIGHTLY } from "../../../test/storeCopies.ts";
import { compileRegex } from "../../core/regex.ts";
import type { ClassSchema } from "../classSchema.ts";

const schemaOf = (className: string): ClassSchema => ({
  className,
  table: className,
  fields: FIELDS,
  classLevelPermissions: {},
  indexes: {},
});

it("random conditions find the same random objects in SQL and in memory", () => {
  const note = schemaOf("Note");
  const folder = schemaOf("Folder");
  const tables = openSqliteTables();
  tables.insert(note, []);
  tables.insert(folder, []);
  const property = fc.property(
    notes,
    folders,
    fc.array(wheres, { minLength: 30, maxLength: 60 }),
    (stored, owners, queries) => {
      tables.clear(note);
      tables.clear(folder);
      tables.insert(note, stored);
      tables.insert(folder, owners);
      for (const query of queries) {
        const where = parseWhere(query);
        const subqueries = new Map(subQueriesOf(where).map((each) => [each, queryOn(folder, each.where)]));
        const matches = compileMatcher(where, {
          regex: compileRegex,
          subQuery: (each) => {
            const matchesFolder = compileMatcher(each.where, { regex: compileRegex });
            return owners.filter((object: JsonObject) => matchesFolder(object));
          },
        });
        const expected = stored
          .filter((object: JsonObject) => matches(object))
          .map(({ objectId }) => objectId);
        // Without an order, SQLite may return the rows in that of an index.
        const found = tables.findIds(queryOn(note, where, { subqueries })).sort();
        expect(found, JSON.stringify(query)).toEqual(expected.sort());
      }
      tables.clear(note);
      tables.clear(folder);
    },
  );
  fc.assert(property, { seed: 1, numRuns: NIGHTLY ? 200 : 60 });
});
