import type { ParseObject } from "@purse/client";
import { SAMPLES } from "./classes.ts";
import { typeOf, type ValueType } from "./values.ts";

export interface FieldOf {
  name: string;
  type: ValueType | undefined;
}

const SYSTEM: readonly string[] = ["objectId", "createdAt", "updatedAt", "ACL"];

/** The fields of a class as its records show them, the most used ones first. */
export function fieldsOf(className: string, records: readonly ParseObject[]): FieldOf[] {
  const found = new Map<string, { type: ValueType | undefined; uses: number }>();
  for (const { name, type } of Object.hasOwn(SAMPLES, className) ? (SAMPLES[className] ?? []) : [])
    found.set(name, { type, uses: Number.POSITIVE_INFINITY });
  for (const record of records) {
    for (const [name, value] of Object.entries(record.attributes)) {
      if (SYSTEM.includes(name) || value === undefined || value === null) continue;
      const known = found.get(name);
      found.set(name, { type: known?.type ?? typeOf(value), uses: (known?.uses ?? 0) + 1 });
    }
  }
  return [...found]
    .sort(([, a], [, b]) => (a.uses === b.uses ? 0 : b.uses - a.uses))
    .map(([name, { type }]) => ({ name, type }));
}

/** What a record is called where there is room for one line. */
export function titleOf(record: ParseObject): string {
  for (const name of ["text", "title", "name", "username", "label", "subject"]) {
    const value: unknown = record.get(name);
    if (typeof value === "string" && value !== "") return value.slice(0, 120);
  }
  return record.id ?? "";
}
