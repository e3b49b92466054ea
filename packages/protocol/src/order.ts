import { ErrorCode, ProtocolError } from "./errors.ts";
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
  return parseList(order, "order").map((part) => {
    if (part === "$score" || part === "-$score") return { path: ["score"], descending: true, score: true };
    const descending = part.startsWith("-");
    const key = descending || part.startsWith("+") ? part.slice(1) : part;
    return { path: parsePath(Object.hasOwn(OLD_NAMES, key) ? (OLD_NAMES[key] ?? key) : key), descending };
  });
}

/** As the times were named in the hosted service's database; old clients still order by them. */
const OLD_NAMES: Readonly<Record<string, string>> = { _created_at: "createdAt", _updated_at: "updatedAt" };

/** Reads texts that come as a list or with commas between them. Throws 102. */
export function parseList(value: unknown, name: string): string[] {
  if (typeof value === "string") return value.split(",").map((part) => part.trim());
  if (Array.isArray(value) && value.every((part) => typeof part === "string")) return value;
  throw new ProtocolError(ErrorCode.INVALID_QUERY, `${name} must be a comma-separated text`);
}
