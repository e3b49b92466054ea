import type { ParseObject } from "@purse/client";
import type { DataField } from "@purse/ui";
import { SAMPLE_FIELDS } from "./classes.ts";
import { toJson, typeOf } from "./recordValues.ts";

const SYSTEM_FIELDS: readonly string[] = ["objectId", "createdAt", "updatedAt", "ACL"];

/** The fields of a class, from its schema and records, most used first. */
export function fieldsOf(
  className: string,
  records: readonly ParseObject[],
  listed: readonly DataField[] = [],
): DataField[] {
  const found = new Map<string, { field: DataField; uses: number }>();
  for (const field of listed) found.set(field.name, { field, uses: 0 });
  for (const field of Object.hasOwn(SAMPLE_FIELDS, className) ? (SAMPLE_FIELDS[className] ?? []) : [])
    found.set(field.name, { field, uses: Number.POSITIVE_INFINITY });
  for (const record of records) {
    for (const [name, value] of Object.entries(toJson(record))) {
      const type = typeOf(value);
      if (!type) continue;
      const known = found.get(name);
      found.set(name, { field: known?.field ?? { name, ...type }, uses: (known?.uses ?? 0) + 1 });
    }
  }
  return [...found.values()]
    .filter(({ field }) => !SYSTEM_FIELDS.includes(field.name))
    .sort((a, b) => (a.uses === b.uses ? 0 : b.uses - a.uses))
    .map(({ field }) => field);
}

/** Characters of a title at most. */
const MAX_TITLE = 120;

/** A short title for a record. */
export function titleOf(record: ParseObject): string {
  for (const name of ["text", "title", "name", "username", "label", "subject"]) {
    const value: unknown = record.get(name);
    if (typeof value === "string" && value !== "") return value.slice(0, MAX_TITLE);
  }
  return record.id ?? "";
}

const MAX_COLUMNS = 4;

/** The table columns, without the field that is shown as the title of all records that have it. */
export function columnFields(fields: readonly DataField[], records: readonly ParseObject[]): DataField[] {
  const titles = records.map(titleOf);
  const isTitle = ({ name }: DataField) => {
    const values = records.map((record): unknown => record.get(name));
    const isShown = (value: unknown, i: number) =>
      typeof value === "string" && value !== "" && value.slice(0, MAX_TITLE) === titles[i];
    return values.some(isShown) && values.every((value, i) => (value ?? "") === "" || isShown(value, i));
  };
  return fields.filter((field) => !isTitle(field)).slice(0, MAX_COLUMNS);
}
