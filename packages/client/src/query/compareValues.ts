import { isWireDate, type JsonValue, timeOf } from "@purse/protocol";

/**
 * Compares values in wire format as an ascending order of a query does: missing values and null first, then numbers,
 * strings, booleans, and all others by their JSON.
 */
export function compareValues(a: JsonValue | undefined, b: JsonValue | undefined): number {
  const [left, right] = [sortable(a), sortable(b)];
  if (left.rank !== right.rank) return left.rank - right.rank;
  if (left.value === right.value) return 0;
  return left.value < right.value ? -1 : 1;
}

function sortable(value: JsonValue | undefined): { rank: number; value: number | string } {
  if (value === undefined || value === null) return { rank: 0, value: 0 };
  if (typeof value === "number") return { rank: 1, value };
  if (typeof value === "string") return { rank: 2, value };
  if (typeof value === "boolean") return { rank: 3, value: Number(value) };
  return {
    rank: 4,
    value: isWireDate(value) ? new Date(timeOf(value)).toISOString() : JSON.stringify(value),
  };
}
