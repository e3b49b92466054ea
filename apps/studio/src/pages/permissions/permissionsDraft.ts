import type { JsonObject } from "@purse/protocol";
import { isGranted, OPERATIONS, type Operation, protectedFields, withGrant } from "./permissionMatrix.ts";

/** Pending permission changes of a class, applied on top of its current permissions. */
export interface Draft {
  /** By `operation subject`. */
  grants: Readonly<Record<string, boolean>>;
  /** By `field subject`: whether the field is hidden. */
  hidden: Readonly<Record<string, boolean>>;
  /** By subject: whether it has a protected fields entry. */
  entries: Readonly<Record<string, boolean>>;
}

export const NO_CHANGES: Draft = { grants: {}, hidden: {}, entries: {} };

export type Change =
  | { kind: "grant"; operation: Operation; subject: string; to: boolean }
  | { kind: "hidden"; field: string; subject: string; to: boolean }
  | { kind: "entry"; subject: string; to: boolean };

/** The changes of a draft that differ from the current permissions. */
export function pendingChanges(permissions: JsonObject, draft: Draft): Change[] {
  const grants = Object.entries(draft.grants).flatMap(([key, to]): Change[] => {
    const [name, subject] = splitKey(key);
    const operation = OPERATIONS.find((each) => each === name);
    if (!operation || isGranted(permissions, operation, subject) === to) return [];
    return [{ kind: "grant", operation, subject, to }];
  });
  const known = protectedFields(permissions);
  const entries = Object.entries(draft.entries).flatMap(([subject, to]): Change[] =>
    Object.hasOwn(known, subject) === to ? [] : [{ kind: "entry", subject, to }],
  );
  const hidden = Object.entries(draft.hidden).flatMap(([key, to]): Change[] => {
    const [field, subject] = splitKey(key);
    if (draft.entries[subject] === false || (known[subject] ?? []).includes(field) === to) return [];
    return [{ kind: "hidden", field, subject, to }];
  });
  return [...grants, ...entries, ...hidden];
}

/** The permissions with a draft applied, in the format of `/schemas`. */
export function applyDraft(permissions: JsonObject, draft: Draft): JsonObject {
  let next = permissions;
  for (const change of pendingChanges(permissions, draft)) {
    if (change.kind === "grant") next = withGrant(next, change.operation, change.subject, change.to);
    else next = { ...next, protectedFields: applyHidden(protectedFields(next), change) };
  }
  return next;
}

function applyHidden(
  known: Record<string, string[]>,
  change: Exclude<Change, { kind: "grant" }>,
): Record<string, string[]> {
  const { [change.subject]: fields = [], ...others } = known;
  if (change.kind === "entry") return change.to ? { ...others, [change.subject]: fields } : others;
  const remaining = fields.filter((each) => each !== change.field);
  return { ...others, [change.subject]: change.to ? [...remaining, change.field] : remaining };
}

/** Adds a change to a draft. */
export function withChange(draft: Draft, change: Change): Draft {
  if (change.kind === "grant") {
    return { ...draft, grants: { ...draft.grants, [`${change.operation} ${change.subject}`]: change.to } };
  }
  if (change.kind === "hidden") {
    return { ...draft, hidden: { ...draft.hidden, [`${change.field} ${change.subject}`]: change.to } };
  }
  return { ...draft, entries: { ...draft.entries, [change.subject]: change.to } };
}

/** Removes a change from a draft; removing an entry removes its hidden fields too. */
export function withoutChange(draft: Draft, change: Change): Draft {
  if (change.kind === "grant") {
    return { ...draft, grants: omitKey(draft.grants, `${change.operation} ${change.subject}`) };
  }
  if (change.kind === "hidden") {
    return { ...draft, hidden: omitKey(draft.hidden, `${change.field} ${change.subject}`) };
  }
  const hidden = Object.entries(draft.hidden).filter(([key]) => splitKey(key)[1] !== change.subject);
  return { ...draft, hidden: Object.fromEntries(hidden), entries: omitKey(draft.entries, change.subject) };
}

function omitKey<T>(all: Readonly<Record<string, T>>, key: string): Record<string, T> {
  const { [key]: _, ...others } = all;
  return others;
}

/** Splits at the first space: role names may contain spaces. */
function splitKey(key: string): [string, string] {
  const at = key.indexOf(" ");
  return [key.slice(0, at), key.slice(at + 1)];
}
