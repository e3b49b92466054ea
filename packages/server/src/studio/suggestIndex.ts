import { isJsonObject, type JsonObject, type JsonValue, parseOrder } from "@purse/protocol";
import type { ClassSchema } from "../database/classSchema.ts";

/** Range operators; all others of a constraint are ignored. */
const RANGE_OPERATORS = ["$gt", "$gte", "$lt", "$lte"];
const MAX_FIELDS = 4;
/** Fields in separate columns with their own indexes. */
const COLUMN_FIELDS = new Set(["objectId", "createdAt", "updatedAt", "ACL"]);

/**
 * Suggests an index for a query: fields compared for equality first, then those of the order or of a range. Returns
 * undefined if an index with this prefix exists, or if nothing can be indexed (`$or`, text, geo queries).
 */
export function suggestIndex(
  schema: ClassSchema | undefined,
  where: JsonObject,
  order: string | undefined,
): { name: string; fields: Record<string, 1 | -1> } | undefined {
  if (!schema) return undefined;
  const isIndexable = (field: string) =>
    !COLUMN_FIELDS.has(field) &&
    Object.hasOwn(schema.fields, field) &&
    schema.fields[field]?.type !== "Relation";
  const equalityFields: string[] = [];
  const rangeFields: string[] = [];
  for (const [field, constraint] of conditionsOf(where)) {
    if (!isIndexable(field)) continue;
    const isEquality =
      !isJsonObject(constraint) || "__type" in constraint || "$in" in constraint || "$eq" in constraint;
    if (isEquality) equalityFields.push(field);
    else if (RANGE_OPERATORS.some((operator) => operator in constraint)) rangeFields.push(field);
  }
  const orderFields = parseOrder(order)
    .filter(({ path }) => path.length === 1 && isIndexable(path[0]))
    .map(({ path, descending }): [string, 1 | -1] => [path[0], descending ? -1 : 1]);
  const keys = new Map<string, 1 | -1>(equalityFields.map((field) => [field, 1]));
  for (const [field, direction] of orderFields) if (!keys.has(field)) keys.set(field, direction);
  const [range] = rangeFields;
  if (orderFields.length === 0 && range !== undefined) keys.set(range, 1);
  const indexFields = [...keys].slice(0, MAX_FIELDS);
  if (indexFields.length === 0) return undefined;
  const exists = Object.values(schema.indexes).some((index) => {
    const known = Object.entries(index);
    return indexFields.every(([field], i) => known[i]?.[0] === field && known[i]?.[1] !== "text");
  });
  if (exists) return undefined;
  const name = indexFields
    .map(([field]) => field)
    .join("_")
    .slice(0, 64);
  return { name, fields: Object.fromEntries(indexFields) };
}

/** Returns the constraints by field, including those within `$and`. */
function conditionsOf(where: JsonObject): [string, JsonValue][] {
  return Object.entries(where).flatMap(([name, constraint]): [string, JsonValue][] =>
    name === "$and" && Array.isArray(constraint)
      ? constraint.filter(isJsonObject).flatMap(conditionsOf)
      : [[name, constraint]],
  );
}
