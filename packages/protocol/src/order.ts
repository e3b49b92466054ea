import { ErrorCode, ProtocolError } from "./errors.ts";
import { MAX_KEYS, MAX_ORDER_KEYS, MAX_PATH_LENGTH } from "./limits.ts";
import { parsePath } from "./names.ts";

/** One key of an order. `score` orders by how well objects fit a text search, best first. */
export interface Order {
  path: [string, ...string[]];
  descending: boolean;
  score?: boolean;
}

/** Reads `a,-b` (or a list of such) from the wire. Throws 102, or 105 for a bad key. */
export function parseOrder(order: unknown): Order[] {
  if (order === undefined || order === null || order === "") return [];
  return parseList(order, "order", MAX_ORDER_KEYS).map((part) => {
    if (part === "$score" || part === "-$score") return { path: ["score"], descending: true, score: true };
    const descending = part.startsWith("-");
    const key = descending || part.startsWith("+") ? part.slice(1) : part;
    return { path: parsePath(Object.hasOwn(OLD_NAMES, key) ? (OLD_NAMES[key] ?? key) : key), descending };
  });
}

/** As the times were named in the hosted service's database; old clients still order by them. */
const OLD_NAMES: Readonly<Record<string, string>> = { _created_at: "createdAt", _updated_at: "updatedAt" };

/** Reads up to `max` texts that come as a list or with commas between them. Throws 102. */
export function parseList(value: unknown, name: string, max = MAX_KEYS): string[] {
  // Text that is too long for so many paths is not taken apart.
  const isLong = typeof value === "string" && value.length > max * (MAX_PATH_LENGTH + 1);
  const list = typeof value === "string" && !isLong ? value.split(",", max + 1) : value;
  if (isLong || (Array.isArray(list) && list.length > max)) {
    throw new ProtocolError(ErrorCode.INVALID_QUERY, `${name} takes ${max} names at most`);
  }
  if (Array.isArray(list) && list.every((part) => typeof part === "string")) {
    return typeof value === "string" ? list.map((part) => part.trim()) : list;
  }
  throw new ProtocolError(ErrorCode.INVALID_QUERY, `${name} must be a comma-separated text`);
}
