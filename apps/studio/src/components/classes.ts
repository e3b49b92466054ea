import type { FieldType, JsonObject } from "@purse/protocol";
import { useStudioQuery } from "./queries.ts";

/** A class as returned by `/schema`. */
export interface ClassSchema {
  className: string;
  fields: Record<string, FieldType>;
  classLevelPermissions: JsonObject;
  indexes?: Record<string, Record<string, 1 | -1 | "text">>;
}

/** All classes, system classes last. */
export function useClasses() {
  const query = useStudioQuery<{ results: ClassSchema[] }>("/schema");
  const classes = query.data?.results.toSorted(
    (a, b) => Number(isSystemClass(a)) - Number(isSystemClass(b)) || a.className.localeCompare(b.className),
  );
  return { ...query, data: classes };
}

export function isSystemClass({ className }: Pick<ClassSchema, "className">): boolean {
  return className.startsWith("_");
}
