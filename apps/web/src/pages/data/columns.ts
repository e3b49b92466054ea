import type { ParseObject } from "@purse/client";
import { SAMPLE_FIELDS } from "./classes.ts";
import { typeOf, type ValueType } from "./values.ts";

export interface FieldInfo {
  name: string;
  type: ValueType | undefined;
  /** The target class of a pointer, if declared. */
  targetClass?: string;
}

const SYSTEM_FIELDS: readonly string[] = ["objectId", "createdAt", "updatedAt", "ACL"];

/** The fields of a class, from its schema and records, most used first. */
export function fieldsOf(
  className: string,
  records: readonly ParseObject[],
  listed: readonly FieldInfo[] = [],
): FieldInfo[] {
  const found = new Map<string, { field: FieldInfo; uses: number }>();
  for (const field of listed)
    if (!SYSTEM_FIELDS.includes(field.name)) found.set(field.name, { field, uses: 0 });
  for (const field of Object.hasOwn(SAMPLE_FIELDS, className) ? (SAMPLE_FIELDS[className] ?? []) : [])
    found.set(field.name, { field, uses: Number.POSITIVE_INFINITY });
  for (const record of records) {
    for (const [name, value] of Object.entries(record.attributes)) {
      if (SYSTEM_FIELDS.includes(name) || value === undefined || value === null) continue;
      const known = found.get(name);
      const field = known?.field ?? { name, type: typeOf(value) };
      found.set(name, { field, uses: (known?.uses ?? 0) + 1 });
    }
  }
  return [...found.values()]
    .sort((a, b) => (a.uses === b.uses ? 0 : b.uses - a.uses))
    .map(({ field }) => field);
}

/** A short title for a record. */
export function titleOf(record: ParseObject): string {
  for (const name of ["text", "title", "name", "username", "label", "subject"]) {
    const value: unknown = record.get(name);
    if (typeof value === "string" && value !== "") return value.slice(0, 120);
  }
  return record.id ?? "";
}
