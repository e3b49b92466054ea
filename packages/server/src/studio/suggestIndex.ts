import { isJsonObject, type JsonObject, type JsonValue, parseOrder } from "@purse/protocol";
import type { ClassSchema } from "../schema/classSchema.ts";

/** Operators that narrow a field to a stretch; all others of one field's object are left out of account. */
const RANGES = ["$gt", "$gte", "$lt", "$lte"];
const MOST_FIELDS = 4;
/** Kept in columns of their own, with indexes of their own. */
const INDEXED = new Set(["objectId", "createdAt", "updatedAt", "ACL"]);

/**
 * An index that a query would use: fields that are compared for equality first, then those of the order or of a
 * range. None where one that begins so is there, or where nothing can be indexed (`$or`, text, places).
 */
export function suggestIndex(
  schema: ClassSchema | undefined,
  where: JsonObject,
  order: string | undefined,
): { name: string; fields: Record<string, 1 | -1> } | undefined {
  if (!schema) return undefined;
  const isOurs = (field: string) =>
    !INDEXED.has(field) && Object.hasOwn(schema.fields, field) && schema.fields[field]?.type !== "Relation";
  const equal: string[] = [];
  const ranged: string[] = [];
  for (const [field, asked] of conditionsOf(where)) {
    if (!isOurs(field)) continue;
    const isPlain = !isJsonObject(asked) || "__type" in asked || "$in" in asked || "$eq" in asked;
    if (isPlain) equal.push(field);
    else if (RANGES.some((operator) => operator in asked)) ranged.push(field);
  }
  const ordered = parseOrder(order)
    .filter(({ path }) => path.length === 1 && isOurs(path[0]))
    .map(({ path, descending }): [string, 1 | -1] => [path[0], descending ? -1 : 1]);
  const keys = new Map<string, 1 | -1>(equal.map((field) => [field, 1]));
  for (const [field, direction] of ordered) if (!keys.has(field)) keys.set(field, direction);
  const [range] = ranged;
  if (ordered.length === 0 && range !== undefined) keys.set(range, 1);
  const wanted = [...keys].slice(0, MOST_FIELDS);
  if (wanted.length === 0) return undefined;
  const isThere = Object.values(schema.indexes).some((index) => {
    const known = Object.entries(index);
    return wanted.every(([field], i) => known[i]?.[0] === field && known[i]?.[1] !== "text");
  });
  if (isThere) return undefined;
  const name = wanted
    .map(([field]) => field)
    .join("_")
    .slice(0, 64);
  return { name, fields: Object.fromEntries(wanted) };
}

/** By field; what all of an `$and` ask is asked of the row like the rest. */
function conditionsOf(where: JsonObject): [string, JsonValue][] {
  return Object.entries(where).flatMap(([name, asked]): [string, JsonValue][] =>
    name === "$and" && Array.isArray(asked)
      ? asked.filter(isJsonObject).flatMap(conditionsOf)
      : [[name, asked]],
  );
}
