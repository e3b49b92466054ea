import type { ClassRow } from "../parts/classes.ts";

/** A field of some class that points to, or is related to, rows of another. */
export interface Incoming {
  className: string;
  field: string;
  kind: "Pointer" | "Relation";
}

/** Each is asked for; beyond so many it would be no quick look. */
const MOST = 24;

/** The fields that lead to rows of a class, those of the application first. */
export function incomingOf(classes: readonly ClassRow[], className: string): Incoming[] {
  return classes
    .flatMap((each) =>
      Object.entries(each.fields).flatMap(([field, type]): Incoming[] =>
        (type.type === "Pointer" || type.type === "Relation") && type.targetClass === className
          ? [{ className: each.className, field, kind: type.type }]
          : [],
      ),
    )
    .slice(0, MOST);
}
