import type { JsonObject, JsonValue, StudioRole } from "@purse/protocol";
import type { Column } from "./columns.ts";

/** Changes of a row that are not saved yet. */
export interface Draft {
  objectId: string;
  /** The row's `updatedAt` when the first of them was made: the server refuses where it has another by now. */
  expectedUpdatedAt: string;
  /** By field; null takes the value away. */
  changes: Readonly<Record<string, JsonValue>>;
  /** What was pasted and cannot be a value of its field, by field. The row is not saved while there is any. */
  invalid?: Readonly<Record<string, { text: string; reason: string }>>;
  /** Why the server refused, and the row as it is, where somebody else has changed it. */
  problem?: string;
  current?: JsonObject;
}

/** By objectId. */
export type Drafts = ReadonlyMap<string, Draft>;

/** With another value of a cell. A value that is the row's again is no change. */
export function applyChange(drafts: Drafts, row: JsonObject, field: string, value: JsonValue): Drafts {
  return applyCells(drafts, [{ row, field, value }]);
}

/** What a cell shall hold; or a text that is no value of its field, and why. */
export type DraftCell = { row: JsonObject; field: string } & (
  | { value: JsonValue; invalid?: undefined }
  | { invalid: { text: string; reason: string } }
);

/** With other values of many cells, as a paste brings them. */
export function applyCells(drafts: Drafts, cells: readonly DraftCell[]): Drafts {
  const next = new Map(drafts);
  for (const cell of cells) {
    const { row, field } = cell;
    const before = next.get(String(row.objectId));
    const { [field]: _, ...otherChanges } = before?.changes ?? {};
    const { [field]: _invalid, ...otherInvalid } = before?.invalid ?? {};
    const changes: Record<string, JsonValue> = otherChanges;
    const invalid: Record<string, { text: string; reason: string }> = otherInvalid;
    if (cell.invalid !== undefined) invalid[field] = cell.invalid;
    else if (JSON.stringify(row[field] ?? null) !== JSON.stringify(cell.value)) changes[field] = cell.value;
    setDraft(next, row, changes, invalid);
  }
  return next;
}

function setDraft(
  drafts: Map<string, Draft>,
  row: JsonObject,
  changes: Draft["changes"],
  invalid: NonNullable<Draft["invalid"]>,
): void {
  const objectId = String(row.objectId);
  const before = drafts.get(objectId);
  const hasInvalid = Object.keys(invalid).length > 0;
  if (!hasInvalid && Object.keys(changes).length === 0) drafts.delete(objectId);
  else {
    drafts.set(objectId, {
      objectId,
      expectedUpdatedAt: before?.expectedUpdatedAt ?? String(row.updatedAt),
      changes,
      ...(hasInvalid && { invalid }),
      ...(before?.current && { current: before.current }),
    });
  }
}

/** A conflict as somebody decided it: these fields stay as they want them, and the others as they are there. */
export function resolveConflict(draft: Draft, keptFields: ReadonlySet<string>): Draft | undefined {
  const { objectId, current } = draft;
  const changes = Object.fromEntries(
    Object.entries(draft.changes).filter(([field]) => keptFields.has(field)),
  );
  if (!current || Object.keys(changes).length === 0) return undefined;
  return { objectId, changes, expectedUpdatedAt: String(current.updatedAt) };
}

/** As the server takes them. */
export function toFields({ changes }: Pick<Draft, "changes">): JsonObject {
  return Object.fromEntries(
    Object.entries(changes).map(([field, value]) => [field, value === null ? { __op: "Delete" } : value]),
  );
}

const SERVER_FIELDS = new Set(["objectId", "createdAt", "updatedAt", "authData", "emailVerified"]);

/** Whether a field can have another value; rows of a relation come and go by themselves. */
export function isEditable({ name, type }: Column, role: StudioRole): boolean {
  return role !== "readOnly" && !SERVER_FIELDS.has(name) && type !== "Relation";
}
