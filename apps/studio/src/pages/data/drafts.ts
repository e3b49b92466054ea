import { type JsonObject, type JsonValue, ownValue } from "@purse/protocol";

/** Unsaved changes of a row. */
export interface Draft {
  objectId: string;
  /** The row's `updatedAt` at the first change; the server rejects the save if it differs. */
  expectedUpdatedAt: string;
  /** By field; null removes the value. */
  changes: Readonly<Record<string, JsonValue>>;
  /** Invalid pasted values by field. The row is not saved while there are any. */
  invalid?: Readonly<Record<string, { text: string; reason: string }>>;
  /** The server's error, and the current row on a conflict. */
  problem?: string;
  current?: JsonObject;
}

/** By objectId. */
export type Drafts = ReadonlyMap<string, Draft>;

/** Sets a cell. A value equal to the row's removes the change. */
export function applyChange(drafts: Drafts, row: JsonObject, field: string, value: JsonValue): Drafts {
  return applyCells(drafts, [{ row, field, value }]);
}

/** The new value of a cell, or invalid text with the reason. */
export type DraftCell = { row: JsonObject; field: string } & (
  | { value: JsonValue; invalid?: undefined }
  | { invalid: { text: string; reason: string } }
);

/** Sets many cells, for example from a paste. */
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
    else if (JSON.stringify(ownValue(row, field) ?? null) !== JSON.stringify(cell.value))
      changes[field] = cell.value;
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

/** Resolves a conflict: keeps the own values of `keptFields` and the current values of the others. */
export function resolveConflict(draft: Draft, keptFields: ReadonlySet<string>): Draft | undefined {
  const { objectId, current } = draft;
  const changes = Object.fromEntries(
    Object.entries(draft.changes).filter(([field]) => keptFields.has(field)),
  );
  if (!current || Object.keys(changes).length === 0) return undefined;
  return { objectId, changes, expectedUpdatedAt: String(current.updatedAt) };
}

/** The changes in the format of the API. */
export function toFields({ changes }: Pick<Draft, "changes">): JsonObject {
  return Object.fromEntries(
    Object.entries(changes).map(([field, value]) => [field, value === null ? { __op: "Delete" } : value]),
  );
}
