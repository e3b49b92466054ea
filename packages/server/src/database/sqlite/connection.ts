import type { JsonValue } from "@purse/protocol";
import Database from "better-sqlite3";

export interface OpenOptions {
  readonly: boolean;
  /** Page cache of the connection, in KiB. */
  cacheKb?: number;
  /** Called periodically by running statements; throws to end the statement. */
  interruptCheck?(docBytes: number): void;
}

/**
 * Opens the database file in WAL mode with `synchronous=FULL`: commits are on disk before they are acknowledged, and
 * readers never wait for the writer.
 */
export function openDatabase(file: string, options: OpenOptions): Database.Database {
  const { readonly, cacheKb = 16_384, interruptCheck } = options;
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
  // With many subjects, one pass over the short ACL of an object is faster than searching for each subject.
  database.function("purse_acl_holds", DETERMINISTIC, createAclContains());
  database.function("purse_is_or_holds", DETERMINISTIC, createEqualsOrContains(interruptCheck));
  if (interruptCheck) {
    database.function("purse_checkpoint", { directOnly: true }, (docBytes) => {
      interruptCheck(Number(docBytes));
      return 1;
    });
  }
  return database;
}

/** For functions whose result depends on nothing but their arguments. */
export const DETERMINISTIC = { deterministic: true, directOnly: true };

function createAclContains(): (subjects: unknown, acl: unknown) => number {
  const toSet = memoizeLast((text): ReadonlySet<string> => new Set(JSON.parse(text)));
  return (subjects, acl) => {
    if (typeof subjects !== "string" || typeof acl !== "string") return 0;
    const subjectSet = toSet(subjects);
    for (let from = 0, to = acl.indexOf("|", 1); to > 0; from = to, to = acl.indexOf("|", from + 1)) {
      if (subjectSet.has(acl.slice(from, to + 1))) return 1;
    }
    return 0;
  };
}

/** Creates the function that tests whether a value equals the operand, or is an array that contains it. */
function createEqualsOrContains(interruptCheck?: (docBytes: number) => void) {
  // Iterating by json_each would keep a copy of the array until the statement has ended.
  const parseItems = memoizeLast((text): JsonValue[] => JSON.parse(text));
  return (value: unknown, type: unknown, operand: unknown): number => {
    if (type !== "array" || typeof value !== "string") {
      // SQLite has booleans as numbers, and objects as text.
      return value === operand && type !== "true" && type !== "false" && type !== "object" ? 1 : 0;
    }
    interruptCheck?.(0);
    return parseItems(value).some((item) => item === operand) ? 1 : 0;
  };
}

/** Maximum length of texts whose result is cached. */
const MAX_CACHED_LENGTH = 1_000_000;

/** Caches the result for the last text, since an operand is the same for every row. */
export function memoizeLast<T>(compute: (text: string) => T): (text: string) => T {
  let last: { text: string; value: T } | undefined;
  return (text) => {
    if (last?.text === text) return last.value;
    const value = compute(text);
    last = text.length <= MAX_CACHED_LENGTH ? { text, value } : undefined;
    return value;
  };
}

/** Total number of characters of prepared statements; each takes several times the memory of its text. */
const MAX_PREPARED_CHARS = 2_000_000;

/** Caches prepared statements by their text; evicts the oldest ones. */
export function createPreparedStatementCache(database: Database.Database, max = 1_000) {
  const statements = new Map<string, Database.Statement<unknown[], unknown>>();
  let characters = 0;
  return (sql: string): Database.Statement<unknown[], unknown> => {
    const cached = statements.get(sql);
    if (cached) return cached;
    const statement = database.prepare<unknown[], unknown>(sql);
    statements.set(sql, statement);
    characters += sql.length;
    for (const oldest of statements.keys()) {
      if (statements.size <= max && characters <= MAX_PREPARED_CHARS) break;
      statements.delete(oldest);
      characters -= oldest.length;
    }
    return statement;
  };
}
