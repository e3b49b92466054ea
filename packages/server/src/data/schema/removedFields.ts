import type { JsonObject } from "@purse/protocol";
import type { ClassDefinition, SchemaOptions } from "../../config/schemas.ts";
import type { ClassSchema } from "../../database/classSchema.ts";

/**
 * The fields of a class that its definition replaces or does not contain, as far as the options say that they are
 * removed with their values. `fixedFields` are those of a system class.
 */
export function removedFields(
  current: ClassSchema,
  definition: ClassDefinition,
  { deleteExtraFields, recreateModifiedFields }: SchemaOptions,
  fixedFields: readonly string[],
): string[] {
  return Object.entries(current.fields).flatMap(([name, known]) => {
    if (fixedFields.includes(name)) return [];
    const defined = definition.fields[name];
    if (defined === undefined) return deleteExtraFields ? [name] : [];
    const { type, targetClass }: JsonObject = JSON.parse(JSON.stringify(defined));
    const isModified = known.type !== type || known.targetClass !== targetClass;
    return isModified && recreateModifiedFields ? [name] : [];
  });
}

/** Returns a class without fields, and without the indexes that use them. */
export function withoutFields(schema: ClassSchema, names: readonly string[]): ClassSchema {
  const isRemoved = (path: string) => names.includes(path.split(".", 1)[0] ?? "");
  return {
    ...schema,
    fields: Object.fromEntries(Object.entries(schema.fields).filter(([name]) => !isRemoved(name))),
    indexes: Object.fromEntries(
      Object.entries(schema.indexes).filter(([, keys]) => !Object.keys(keys).some(isRemoved)),
    ),
  };
}
