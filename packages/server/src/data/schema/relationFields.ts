import type { JsonValue } from "@purse/protocol";
import type { ClassSchema } from "../../database/classSchema.ts";

/** Schemas are immutable, so what is derived from them is cached. */
const relationsBySchema = new WeakMap<ClassSchema, readonly [string, JsonValue][]>();

/** Returns the relation fields of a class with their values in wire format. */
export function relationFields(schema: ClassSchema): readonly [string, JsonValue][] {
  const known = relationsBySchema.get(schema);
  if (known) return known;
  const relations = Object.entries(schema.fields)
    .filter(([, field]) => field.type === "Relation")
    .map(([name, field]): [string, JsonValue] => [
      name,
      { __type: "Relation", className: field.targetClass ?? "" },
    ]);
  relationsBySchema.set(schema, relations);
  return relations;
}
