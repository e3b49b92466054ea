import type { FieldType, JsonObject } from "@purse/protocol";
import { useAnswer } from "./asking.ts";

/** A class, as `/schema` tells it. */
export interface ClassRow {
  className: string;
  fields: Record<string, FieldType>;
  classLevelPermissions: JsonObject;
  indexes?: Record<string, Record<string, 1 | -1 | "text">>;
}

/** All classes; those of the application before those of the server. */
export function useClasses() {
  const answer = useAnswer<{ results: ClassRow[] }>("/schema");
  const classes = answer.data?.results.toSorted(
    (a, b) => Number(isOfServer(a)) - Number(isOfServer(b)) || a.className.localeCompare(b.className),
  );
  return { ...answer, data: classes };
}

export function isOfServer({ className }: Pick<ClassRow, "className">): boolean {
  return className.startsWith("_");
}
