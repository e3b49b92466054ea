import type { ParseObject } from "@purse/client";
import { SAMPLES } from "./classes.ts";
import { typeOf, type ValueType } from "./values.ts";

export interface FieldOf {
  name: string;
  type: ValueType | undefined;
  /** Of a pointer, where the class says it. */
  targetClass?: string;
}

const SYSTEM: readonly string[] = ["objectId", "createdAt", "updatedAt", "ACL"];

/** The fields of a class as it and its records show them, the most used ones first. */
export function fieldsOf(
  className: string,
  records: readonly ParseObject[],
  listed: readonly FieldOf[] = [],
): FieldOf[] {
  const found = new Map<string, { field: FieldOf; uses: number }>();
  for (const field of listed) if (!SYSTEM.includes(field.name)) found.set(field.name, { field, uses: 0 });
  for (const field of Object.hasOwn(SAMPLES, className) ? (SAMPLES[className] ?? []) : [])
    found.set(field.name, { field, uses: Number.POSITIVE_INFINITY });
  for (const record of records) {
    for (const [name, value] of Object.entries(record.attributes)) {
      if (SYSTEM.includes(name) || value === undefined || value === null) continue;
      const known = found.get(name);
      const field = known?.field ?? { name, type: typeOf(value) };
      found.set(name, { field, uses: (known?.uses ?? 0) + 1 });
    }
  }
  return [...found.values()]
    .sort((a, b) => (a.uses === b.uses ? 0 : b.uses - a.uses))
    .map(({ field }) => field);
}

/** What a record is called where there is room for one line. */
export function titleOf(record: ParseObject): string {
  for (const name of ["text", "title", "name", "username", "label", "subject"]) {
    const value: unknown = record.get(name);
    if (typeof value === "string" && value !== "") return value.slice(0, 120);
  }
  return record.id ?? "";
}
