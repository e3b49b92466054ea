import type { StudioClass } from "@purse/server/studio-api";

/** A field that references a class. */
export interface IncomingReference {
  className: string;
  field: string;
  kind: "Pointer" | "Relation";
}

/** Maximum number of references, since each is queried. */
const MAX_INCOMING = 24;

/** Fields that reference a class, system classes last. */
export function incomingReferences(classes: readonly StudioClass[], className: string): IncomingReference[] {
  return classes
    .flatMap((each) =>
      Object.entries(each.fields).flatMap(([field, type]): IncomingReference[] =>
        (type.type === "Pointer" || type.type === "Relation") && type.targetClass === className
          ? [{ className: each.className, field, kind: type.type }]
          : [],
      ),
    )
    .slice(0, MAX_INCOMING);
}
