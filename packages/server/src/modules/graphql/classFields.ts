import type { GraphqlClass } from "./typeRegistry.ts";
import { OBJECT_FIELDS } from "./valueTypes.ts";

/** The fields of a class by their use in the schema. */
export interface ClassFields {
  create: string[];
  update: string[];
  output: string[];
  where: string[];
  order: { field: string; asc: boolean; desc: boolean }[];
}

/** Returns the fields of a class that the configuration allows; `id` is the global id. */
export function classFieldsOf({ className, fields, config }: GraphqlClass): ClassFields {
  const all = [...Object.keys(fields), "id"];
  const own = all.filter((field) => field !== "id" && !Object.hasOwn(OBJECT_FIELDS, field));
  const allowed = (list: readonly string[] | null | undefined, of = own) =>
    list ? own.filter((field) => list.includes(field)) : of;
  const { inputFields, outputFields, constraintFields, sortFields } = config?.type ?? {};
  const output = allowed(outputFields);
  const byId = { field: "id", asc: true, desc: true };
  const known = (sortFields ?? []).filter(({ field }) => all.includes(field));
  return {
    create: allowed(inputFields?.create),
    update: allowed(inputFields?.update),
    output: className === "_User" ? output.filter((field) => field !== "password") : output,
    where: allowed(constraintFields, all),
    order: sortFields
      ? known.length > 0
        ? known
        : [byId]
      : all.map((field) => ({ field, asc: true, desc: true })),
  };
}
