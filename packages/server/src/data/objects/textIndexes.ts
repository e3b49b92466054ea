import type { Condition } from "@purse/protocol";
import type { ClassSchema } from "../../database/classSchema.ts";
import type { Schemas } from "../schema/schemas.ts";
import { isTextIndexed, searchedFields } from "./prepareQuery.ts";

/**
 * Creates the text indexes that a query needs. Queries that may not create them are rejected without an index.
 * @param isFirstOnly Whether only the first text index of a class may be created, as by clients in Parse Server with
 *   MongoDB, where a class has one at most.
 */
export async function ensureTextIndexes(
  schemas: Schemas,
  className: string,
  where: Condition,
  isFirstOnly: boolean,
): Promise<void> {
  const schema = schemas.get(className);
  if (!schema) return;
  const searched = searchedFields(where).filter((field) => schema.fields[field]?.type === "String");
  if (searched.every((field) => isTextIndexed(schema, field))) return;
  if (isFirstOnly && hasTextIndex(schema)) return;
  await schemas.change(className, (known) => {
    if (isFirstOnly && hasTextIndex(known)) return known;
    const missing = searched.filter((field) => !isTextIndexed(known, field));
    const added = isFirstOnly ? missing.slice(0, 1) : missing;
    const indexes = added.map((field) => [`${field}_text`, { [field]: "text" as const }]);
    return { ...known, indexes: { ...known.indexes, ...Object.fromEntries(indexes) } };
  });
}

function hasTextIndex({ indexes }: ClassSchema): boolean {
  return Object.values(indexes).some((keys) => Object.values(keys).includes("text"));
}
