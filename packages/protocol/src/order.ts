import { ErrorCode, ProtocolError } from "./errors.ts";
import { MAX_KEYS, MAX_ORDER_KEYS, MAX_PATH_LENGTH } from "./limits.ts";
import { parsePath } from "./names.ts";

/** One key of an order. `score` sorts by relevance of a text search, best first. */
export interface Order {
  path: [string, ...string[]];
  descending: boolean;
  score?: boolean;
}

/** Parses `a,-b` (or a list of keys) from the wire. Throws 102, or 105 for an invalid key. */
export function parseOrder(order: unknown): Order[] {
  if (order === undefined || order === null || order === "") return [];
  return parseList(order, "order", MAX_ORDER_KEYS).map((entry) => {
    if (entry === "$score" || entry === "-$score") return { path: ["score"], descending: true, score: true };
    const descending = entry.startsWith("-");
    const key = descending || entry.startsWith("+") ? entry.slice(1) : entry;
    return {
      path: parsePath(Object.hasOwn(LEGACY_NAMES, key) ? (LEGACY_NAMES[key] ?? key) : key),
      descending,
    };
  });
}

/** Names of the timestamps in the database of the hosted Parse service; older clients still sort by them. */
const LEGACY_NAMES: Readonly<Record<string, string>> = { _created_at: "createdAt", _updated_at: "updatedAt" };

/** Parses a list, a comma-separated text or a list as JSON text, of up to `max` names. Throws 102 if it is invalid. */
export function parseList(value: unknown, name: string, max = MAX_KEYS): string[] {
  // A text that is too long for the maximum number of paths is not split.
  const isTooLong = typeof value === "string" && value.length > max * (MAX_PATH_LENGTH + 3) + 2;
  const list = typeof value === "string" && !isTooLong ? splitNames(value, max) : value;
  if (isTooLong || (Array.isArray(list) && list.length > max)) {
    throw new ProtocolError(ErrorCode.INVALID_QUERY, `${name} takes ${max} names at most`);
  }
  if (Array.isArray(list) && list.every((entry) => typeof entry === "string")) {
    return typeof value === "string" ? list.map((entry) => entry.trim()) : list;
  }
  throw new ProtocolError(ErrorCode.INVALID_QUERY, `${name} must be a comma-separated text`);
}

function splitNames(text: string, max: number): unknown {
  if (/^\s*["[]/.test(text)) {
    try {
      const names: unknown = JSON.parse(text);
      return typeof names === "string" ? [names] : names;
    } catch {
      // Names with such characters are refused where they are used.
    }
  }
  return text.split(",", max + 1);
}
