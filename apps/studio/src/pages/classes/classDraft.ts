import { type FieldType, type JsonObject, ownValue } from "@purse/protocol";
import type { StudioClass } from "@purse/server/studio-api";

export type Index = Record<string, 1 | -1 | "text">;

/** Pending changes of a class; null removes. */
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

/** System fields, maintained by the server. */
export const COMMON_FIELDS: readonly string[] = ["objectId", "createdAt", "updatedAt", "ACL"];

export function countChanges({ fields, indexes }: Draft): number {
  return Object.keys(fields).length + Object.keys(indexes).length;
}

/** Fields with their pending changes, system fields first. */
export function fieldRows({ fields }: StudioClass, draft: Draft): FieldRow[] {
  const rows = mergeChanges(fields, draft.fields).map(([name, field, change]) => ({ name, field, change }));
  const rank = ({ name }: FieldRow) => (COMMON_FIELDS.includes(name) ? 0 : 1);
  return rows.toSorted((a, b) => rank(a) - rank(b));
}

export function indexRows({ indexes = {} }: StudioClass, draft: Draft): IndexRow[] {
  return mergeChanges(indexes, draft.indexes)
    .filter(([name]) => name !== "_id_")
    .map(([name, index, change]) => ({ name, index, change }));
}

function mergeChanges<T>(
  known: Readonly<Record<string, T>>,
  changes: Readonly<Record<string, T | null>>,
): [name: string, value: T, change: Change][] {
  return [...new Set([...Object.keys(known), ...Object.keys(changes)])].flatMap((name) => {
    const before = ownValue(known, name);
    const to = ownValue(changes, name);
    const value = to ?? before;
    if (value === undefined) return [];
    const change: Change = to === undefined ? undefined : to === null ? "gone" : before ? "changed" : "new";
    return [[name, value, change] satisfies [string, T, Change]];
  });
}

/** Sets a change of a draft; undefined removes it. */
export function withChange<Key extends keyof Draft>(
  draft: Draft,
  part: Key,
  name: string,
  to: Draft[Key][string] | undefined,
): Draft {
  const { [name]: _, ...others } = draft[part];
  return { ...draft, [part]: to === undefined ? others : { ...others, [name]: to } };
}

/** The draft in the format of the API. */
export function toEdit({ fields, indexes }: Draft): JsonObject {
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
