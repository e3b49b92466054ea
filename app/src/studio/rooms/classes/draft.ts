import type { FieldType, JsonObject } from "@purse/protocol";
import type { ClassRow } from "../parts/classes.ts";

export type Index = Record<string, 1 | -1 | "text">;

/** Changes of a class that are not carried out yet; null takes away. */
export interface Draft {
  fields: Readonly<Record<string, FieldType | null>>;
  indexes: Readonly<Record<string, Index | null>>;
}

export const NO_CHANGES: Draft = { fields: {}, indexes: {} };

export type Change = "new" | "changed" | "gone" | undefined;

export interface FieldRow {
  name: string;
  field: FieldType;
  change: Change;
}

export interface IndexRow {
  name: string;
  index: Index;
  change: Change;
}

/** Every object has them; the server keeps them. */
export const COMMON_FIELDS: readonly string[] = ["objectId", "createdAt", "updatedAt", "ACL"];

export function changesIn({ fields, indexes }: Draft): number {
  return Object.keys(fields).length + Object.keys(indexes).length;
}

/** The fields as they are and as they would be; those that every object has stand first. */
export function fieldRows({ fields }: ClassRow, draft: Draft): FieldRow[] {
  const rows = rowsOf(fields, draft.fields).map(([name, field, change]) => ({ name, field, change }));
  const rank = ({ name }: FieldRow) => (COMMON_FIELDS.includes(name) ? 0 : 1);
  return rows.toSorted((a, b) => rank(a) - rank(b));
}

export function indexRows({ indexes = {} }: ClassRow, draft: Draft): IndexRow[] {
  return rowsOf(indexes, draft.indexes)
    .filter(([name]) => name !== "_id_")
    .map(([name, index, change]) => ({ name, index, change }));
}

function rowsOf<T>(
  known: Readonly<Record<string, T>>,
  changes: Readonly<Record<string, T | null>>,
): [name: string, value: T, change: Change][] {
  return [...new Set([...Object.keys(known), ...Object.keys(changes)])].flatMap((name) => {
    const was = Object.hasOwn(known, name) ? known[name] : undefined;
    const to = Object.hasOwn(changes, name) ? changes[name] : undefined;
    const value = to ?? was;
    if (value === undefined) return [];
    const change: Change = to === undefined ? undefined : to === null ? "gone" : was ? "changed" : "new";
    return [[name, value, change] satisfies [string, T, Change]];
  });
}

/** A draft with one more change; undefined takes a change back. */
export function withChange<Part extends keyof Draft>(
  draft: Draft,
  part: Part,
  name: string,
  to: Draft[Part][string] | undefined,
): Draft {
  const { [name]: _, ...others } = draft[part];
  return { ...draft, [part]: to === undefined ? others : { ...others, [name]: to } };
}

/** A draft as the server takes it. */
export function editOf({ fields, indexes }: Draft): JsonObject {
  const part = (changes: Readonly<Record<string, object | null>>): JsonObject =>
    Object.fromEntries(
      Object.entries(changes).map(([name, to]) => [
        name,
        to === null ? { __op: "Delete" } : Object.fromEntries(Object.entries(to)),
      ]),
    );
  return {
    ...(Object.keys(fields).length > 0 && { fields: part(fields) }),
    ...(Object.keys(indexes).length > 0 && { indexes: part(indexes) }),
  };
}
