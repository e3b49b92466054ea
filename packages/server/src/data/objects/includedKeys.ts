import type { Query } from "@purse/protocol";
import type { ClassSchema } from "../../database/classSchema.ts";

/** Types of fields that contain pointers. */
const INCLUDED_TYPES: ReadonlySet<string> = new Set(["Pointer", "Array"]);

/** Adds to the selected keys of a query the fields that it includes by `*`, as far as the class defines them. */
export function withIncludedKeys(query: Query, schema: ClassSchema): Query {
  if (!query.keys || !query.include.some(([head]) => head === "*")) return query;
  const included = Object.entries(schema.fields).flatMap(([name, { type }]) =>
    INCLUDED_TYPES.has(String(type)) && !query.keys?.some((key) => key.startsWith(`${name}.`)) ? [name] : [],
  );
  return { ...query, keys: [...query.keys, ...included] };
}
