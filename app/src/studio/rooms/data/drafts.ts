import type { JsonObject, JsonValue, StudioRole } from "@purse/protocol";
import type { Column } from "./columns.ts";

/** Changes of a row that are not saved yet. */
export interface Draft {
  objectId: string;
  /** The row's `updatedAt` when the first of them was made: the server refuses where it has another by now. */
  expectedUpdatedAt: string;
  /** By field; null takes the value away. */
  changes: Readonly<Record<string, JsonValue>>;
  /** Why the server refused, and the row as it is, where somebody else has changed it. */
  problem?: string;
  current?: JsonObject;
}

/** By objectId. */
export type Drafts = ReadonlyMap<string, Draft>;

/** With another value of a cell. A value that is the row's again is no change. */
export function withChange(drafts: Drafts, row: JsonObject, field: string, value: JsonValue): Drafts {
  const objectId = String(row.objectId);
  const before = drafts.get(objectId);
  const { [field]: _, ...others } = before?.changes ?? {};
  const isSame = JSON.stringify(row[field] ?? null) === JSON.stringify(value);
  const changes = isSame ? others : { ...others, [field]: value };
  const next = new Map(drafts);
  if (Object.keys(changes).length === 0) next.delete(objectId);
  else {
    next.set(objectId, {
      objectId,
      expectedUpdatedAt: before?.expectedUpdatedAt ?? String(row.updatedAt),
      changes,
      ...(before?.current && { current: before.current }),
    });
  }
  return next;
}

/** A conflict as somebody decided it: these fields stay as they want them, and the others as they are there. */
export function resolved(draft: Draft, keeps: ReadonlySet<string>): Draft | undefined {
  const { objectId, current } = draft;
  const changes = Object.fromEntries(Object.entries(draft.changes).filter(([field]) => keeps.has(field)));
  if (!current || Object.keys(changes).length === 0) return undefined;
  return { objectId, changes, expectedUpdatedAt: String(current.updatedAt) };
}

/** As the server takes them. */
export function fieldsOf({ changes }: Pick<Draft, "changes">): JsonObject {
  return Object.fromEntries(
    Object.entries(changes).map(([field, value]) => [field, value === null ? { __op: "Delete" } : value]),
  );
}

const SET_BY_SERVER = new Set(["objectId", "createdAt", "updatedAt", "authData", "emailVerified"]);
const NOT_TYPED = new Set(["Relation", "File", "Bytes", "Polygon"]);

export function isEditable({ name, type }: Column, role: StudioRole): boolean {
  return role !== "readOnly" && !SET_BY_SERVER.has(name) && !NOT_TYPED.has(type);
}
