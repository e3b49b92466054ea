import { type JsonValue, jsonEqual, polygonHolds } from "@purse/protocol";
import Database from "better-sqlite3";
import { compileRegex } from "../regex.ts";

/** A value that a statement takes or gives. */
export type SqliteValue = string | number | bigint | Buffer | null;

export interface OpenOptions {
  readonly: boolean;
  /** Pages that the connection keeps in memory, in KiB. */
  cacheKb?: number;
  /** Called now and then by statements with checkpoints; throws to end the statement. */
  checkpoint?(docBytes: number): void;
}

/**
 * Opens the database file. WAL with `synchronous=FULL`: a commit is on disk before it is
 * acknowledged, and readers never wait for the writer.
 */
export function openDatabase(file: string, options: OpenOptions): Database.Database {
  const { readonly, cacheKb = 16_384, checkpoint } = options;
  const database = new Database(file, { readonly, timeout: 10_000 });
  if (!readonly) {
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    database.pragma("wal_autocheckpoint = 4000");
  }
  database.pragma(`cache_size = -${cacheKb}`);
  database.pragma("mmap_size = 1073741824");
  database.pragma("temp_store = MEMORY");
  database.pragma("trusted_schema = OFF");
  // With many principals one pass over an object's own few is quicker than a search for each.
  database.function("purse_acl_holds", DETERMINISTIC, aclHolds());
  database.function("purse_is_or_holds", DETERMINISTIC, isOrHolds(checkpoint));
  if (checkpoint) {
    database.function("purse_checkpoint", { directOnly: true }, (docBytes) => {
      checkpoint(Number(docBytes));
      return 1;
    });
  }
  return database;
}

const DETERMINISTIC = { deterministic: true, directOnly: true };

/**
 * What SQLite cannot do by itself, and what a request may make expensive. Only reader threads have these functions, so
 * that no such condition can run on the request loop or in the writer.
 */
export function addCostlyFunctions(database: Database.Database, checkpoint: () => void): void {
  const parsed = lastOf((text) => JSON.parse(text));
  database.function("purse_regex", DETERMINISTIC, (source, flags, value) => {
    checkpoint();
    return typeof value === "string" && compileRegex(String(source), String(flags))(value) ? 1 : 0;
  });
  database.function("purse_json_equal", DETERMINISTIC, (value, operand) => {
    checkpoint();
    if (typeof value !== "string" || typeof operand !== "string" || !/^[[{]/.test(value)) return 0;
    const stored: JsonValue = JSON.parse(value);
    return jsonEqual(stored, parsed(operand)) ? 1 : 0;
  });
  database.function("purse_polygon_holds", DETERMINISTIC, (polygon, latitude, longitude) => {
    checkpoint();
    if (typeof polygon !== "string" || typeof latitude !== "number" || typeof longitude !== "number")
      return 0;
    return polygonHolds(parsed(polygon), { latitude, longitude }) ? 1 : 0;
  });
}

function aclHolds(): (principals: unknown, acl: unknown) => number {
  const setOf = lastOf((text): ReadonlySet<string> => new Set(JSON.parse(text)));
  return (principals, acl) => {
    if (typeof principals !== "string" || typeof acl !== "string") return 0;
    const wanted = setOf(principals);
    for (let from = 0, to = acl.indexOf("|", 1); to > 0; from = to, to = acl.indexOf("|", from + 1)) {
      if (wanted.has(acl.slice(from, to + 1))) return 1;
    }
    return 0;
  };
}

/** Whether a value is the operand, or is an array that holds it. */
function isOrHolds(checkpoint?: (docBytes: number) => void) {
  // Going through an array by json_each would keep a copy of it until the statement has ended.
  const itemsOf = lastOf((text): JsonValue[] => JSON.parse(text));
  return (value: unknown, type: unknown, operand: unknown): number => {
    if (type !== "array" || typeof value !== "string") return value === operand ? 1 : 0;
    checkpoint?.(0);
    return itemsOf(value).some((item) => item === operand) ? 1 : 0;
  };
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
