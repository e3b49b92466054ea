import { type JsonValue, jsonEqual, polygonHolds } from "@purse/protocol";
import Database from "better-sqlite3";
import { compileRegex } from "../regex.ts";

/** A value that a statement takes or gives. */
export type SqliteValue = string | number | bigint | Buffer | null;

/**
 * Opens the database file. WAL with `synchronous=FULL`: a commit is on disk before it is
 * acknowledged, and readers never wait for the writer.
 */
export function openDatabase(file: string, options: { readonly: boolean }): Database.Database {
  const database = new Database(file, { readonly: options.readonly, timeout: 10_000 });
  if (!options.readonly) {
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    database.pragma("wal_autocheckpoint = 4000");
  }
  database.pragma("cache_size = -65536");
  database.pragma("mmap_size = 1073741824");
  database.pragma("temp_store = MEMORY");
  database.pragma("trusted_schema = OFF");
  addFunctions(database);
  return database;
}

/** What SQLite cannot do by itself. */
function addFunctions(database: Database.Database): void {
  const options = { deterministic: true, directOnly: true };
  const parsed = lastOf((text) => JSON.parse(text));
  const setOf = lastOf((text): ReadonlySet<string> => new Set(JSON.parse(text)));
  database.function("purse_regex", options, (source, flags, value) =>
    typeof value === "string" && compileRegex(String(source), String(flags))(value) ? 1 : 0,
  );
  database.function("purse_json_equal", options, (value, operand) => {
    if (typeof value !== "string" || typeof operand !== "string" || !/^[[{]/.test(value)) return 0;
    const stored: JsonValue = JSON.parse(value);
    return jsonEqual(stored, parsed(operand)) ? 1 : 0;
  });
  // Going through an array by json_each would keep a copy of it until the statement has ended.
  database.function("purse_is_or_holds", options, (value, type, operand) => {
    if (type !== "array" || typeof value !== "string") return value === operand ? 1 : 0;
    const items: JsonValue[] = parsed(value);
    return items.some((item) => item === operand) ? 1 : 0;
  });
  database.function("purse_polygon_holds", options, (polygon, latitude, longitude) => {
    if (typeof polygon !== "string" || typeof latitude !== "number" || typeof longitude !== "number")
      return 0;
    return polygonHolds(parsed(polygon), { latitude, longitude }) ? 1 : 0;
  });
  // With many principals one pass over an object's own few is quicker than a search for each.
  database.function("purse_acl_holds", options, (principals, acl) => {
    if (typeof principals !== "string" || typeof acl !== "string") return 0;
    const wanted = setOf(principals);
    for (let from = 0, to = acl.indexOf("|", 1); to > 0; from = to, to = acl.indexOf("|", from + 1)) {
      if (wanted.has(acl.slice(from, to + 1))) return 1;
    }
    return 0;
  });
}

/** Longer texts are not kept in memory, nor what was computed from them. */
const MAX_REMEMBERED = 1_000_000;

/** Computes from a text what was not computed from it just before: an operand is the same for every row. */
function lastOf<T>(compute: (text: string) => T): (text: string) => T {
  let last: { text: string; value: T } | undefined;
  return (text) => {
    if (last?.text === text) return last.value;
    const value = compute(text);
    last = text.length <= MAX_REMEMBERED ? { text, value } : undefined;
    return value;
  };
}

/** Characters of the statements that are kept prepared: a prepared one takes some times its text. */
const MAX_PREPARED_TEXT = 2_000_000;

/** Prepared statements by their text, the least recently made dropped first. */
export function statementCache(database: Database.Database, max = 1_000) {
  const statements = new Map<string, Database.Statement<unknown[], unknown>>();
  let characters = 0;
  return (sql: string): Database.Statement<unknown[], unknown> => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = database.prepare<unknown[], unknown>(sql);
    statements.set(sql, statement);
    characters += sql.length;
    for (const oldest of statements.keys()) {
      if (statements.size <= max && characters <= MAX_PREPARED_TEXT) break;
      statements.delete(oldest);
      characters -= oldest.length;
    }
    return statement;
  };
}
