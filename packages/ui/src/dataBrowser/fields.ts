import type { FieldType } from "@purse/protocol";

/** A field of a class. */
export interface DataField {
  name: string;
  type: FieldType["type"];
  /** For pointers and relations. */
  targetClass?: string;
}

/** Shown after all other fields. */
const TRAILING_FIELDS = ["ACL", "createdAt", "updatedAt"];
/** Never shown. */
const SECRET_FIELDS = new Set(["password", "sessionToken"]);

/** The fields of a class in display order, without secret ones. */
export function dataFieldsOf(fields: Readonly<Record<string, FieldType>>): DataField[] {
  const rank = ({ name }: DataField) => (name === "objectId" ? -1 : TRAILING_FIELDS.indexOf(name) + 1);
  return Object.entries(fields)
    .filter(([name]) => !SECRET_FIELDS.has(name))
    .map(([name, { type, targetClass }]) => ({
      name,
      type,
      ...(targetClass !== undefined && { targetClass }),
    }))
    .sort((a, b) => rank(a) - rank(b));
}

/** Whether rows can be filtered by a field. */
export function isFilterable({ type }: DataField): boolean {
  return type !== "Relation" && type !== "ACL";
}
