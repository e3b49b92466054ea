import type { JsonObject } from "@purse/protocol";
import { isGranted, OPERATIONS, type Operation, protectedFields, withGrant } from "./permissions.ts";

/** Changes of a class's permissions that are not carried out yet. They go over whatever the permissions are by then. */
export interface Draft {
  /** By `operation who`. */
  grants: Readonly<Record<string, boolean>>;
  /** By `field who`: whether it is hidden from them. */
  hidden: Readonly<Record<string, boolean>>;
  /** Who has an entry of protected fields, or none any more. */
  entries: Readonly<Record<string, boolean>>;
}

export const NO_CHANGES: Draft = { grants: {}, hidden: {}, entries: {} };

export type Change =
  | { kind: "grant"; operation: Operation; who: string; to: boolean }
  | { kind: "hidden"; field: string; who: string; to: boolean }
  | { kind: "entry"; who: string; to: boolean };

/** What a draft changes of permissions as they are; what has become so meanwhile is no change. */
export function changesIn(permissions: JsonObject, draft: Draft): Change[] {
  const grants = Object.entries(draft.grants).flatMap(([key, to]): Change[] => {
    const [name, who] = parts(key);
    const operation = OPERATIONS.find((each) => each === name);
    if (!operation || isGranted(permissions, operation, who) === to) return [];
    return [{ kind: "grant", operation, who, to }];
  });
  const known = protectedFields(permissions);
  const entries = Object.entries(draft.entries).flatMap(([who, to]): Change[] =>
    Object.hasOwn(known, who) === to ? [] : [{ kind: "entry", who, to }],
  );
  const hidden = Object.entries(draft.hidden).flatMap(([key, to]): Change[] => {
    const [field, who] = parts(key);
    if (draft.entries[who] === false || (known[who] ?? []).includes(field) === to) return [];
    return [{ kind: "hidden", field, who, to }];
  });
  return [...grants, ...entries, ...hidden];
}

/** The permissions with a draft carried out, as `/schemas` takes them. */
export function carriedOut(permissions: JsonObject, draft: Draft): JsonObject {
  let next = permissions;
  for (const change of changesIn(permissions, draft)) {
    if (change.kind === "grant") next = withGrant(next, change.operation, change.who, change.to);
    else next = { ...next, protectedFields: withHidden(protectedFields(next), change) };
  }
  return next;
}

function withHidden(
  known: Record<string, string[]>,
  change: Exclude<Change, { kind: "grant" }>,
): Record<string, string[]> {
  const { [change.who]: fields = [], ...others } = known;
  if (change.kind === "entry") return change.to ? { ...others, [change.who]: fields } : others;
  const kept = fields.filter((each) => each !== change.field);
  return { ...others, [change.who]: change.to ? [...kept, change.field] : kept };
}

/** A draft with one more change. */
export function withChange(draft: Draft, change: Change): Draft {
  if (change.kind === "grant") {
    return { ...draft, grants: { ...draft.grants, [`${change.operation} ${change.who}`]: change.to } };
  }
  if (change.kind === "hidden") {
    return { ...draft, hidden: { ...draft.hidden, [`${change.field} ${change.who}`]: change.to } };
  }
  return { ...draft, entries: { ...draft.entries, [change.who]: change.to } };
}

/** A draft without a change; without an entry goes what it would have hidden. */
export function withoutChange(draft: Draft, change: Change): Draft {
  if (change.kind === "grant") {
    return { ...draft, grants: without(draft.grants, `${change.operation} ${change.who}`) };
  }
  if (change.kind === "hidden") {
    return { ...draft, hidden: without(draft.hidden, `${change.field} ${change.who}`) };
  }
  const hidden = Object.entries(draft.hidden).filter(([key]) => parts(key)[1] !== change.who);
  return { ...draft, hidden: Object.fromEntries(hidden), entries: without(draft.entries, change.who) };
}

function without<T>(all: Readonly<Record<string, T>>, key: string): Record<string, T> {
  const { [key]: _, ...others } = all;
  return others;
}

/** Operations and fields have no spaces; names of roles may. */
function parts(key: string): [string, string] {
  const at = key.indexOf(" ");
  return [key.slice(0, at), key.slice(at + 1)];
}
