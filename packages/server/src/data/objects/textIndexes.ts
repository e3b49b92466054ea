import type { Condition } from "@purse/protocol";
import type { Schemas } from "../schema/schemas.ts";
import { isTextIndexed, searchedFields } from "./subqueries.ts";

/**
 * Creates the text indexes that a query with the master key needs. Queries of other clients are rejected without an
 * index.
 */
export async function ensureTextIndexes(
  schemas: Schemas,
  className: string,
  where: Condition,
): Promise<void> {
  const schema = schemas.get(className);
  if (!schema) return;
  const searched = searchedFields(where).filter((field) => schema.fields[field]?.type === "String");
  if (searched.every((field) => isTextIndexed(schema, field))) return;
  await schemas.change(className, (known) => {
    const added = searched.filter((field) => !isTextIndexed(known, field));
    const indexes = added.map((field) => [`${field}_text`, { [field]: "text" as const }]);
    return { ...known, indexes: { ...known.indexes, ...Object.fromEntries(indexes) } };
  });
}
