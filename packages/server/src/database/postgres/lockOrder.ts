import type { Write } from "../store.ts";

/** Sorted before the tables of classes, whose names begin with a letter or _. */
const UNIQUE_VALUES = " 1 unique values";
const COUNTERS = " 2 counters";
const RELATIONS = " 3 relations";
const REQUESTS = "~requests";
/** Sorted last, so that leases are locked as briefly as possible. */
const LEASES = "~~leases";

/**
 * Returns the indexes of writes in the order in which all transactions lock rows, by table and row, to avoid deadlocks.
 * Writes to the same row keep their order; so do creates of a class, since objects are numbered in order of creation.
 */
export function lockOrder(writes: readonly Write[]): number[] {
  const indexes = writes.map((_, i) => i);
  if (!canReorder(writes)) return indexes;
  const keys = writes.map(lockKeyOf);
  return indexes.sort((a, b) => compare(keys[a], keys[b]) || a - b);
}

export type LockKey = readonly [table: string, row: string];

/** The table and the row that a write locks. */
export function lockKeyOf(write: Write): LockKey {
  switch (write.kind) {
    case "create":
      return [write.schema.table, ""];
    case "restore":
    case "update":
    case "delete":
      return [write.schema.table, write.id];
    case "updateRelation":
      return [RELATIONS, `${write.schema.className} ${write.key} ${write.id}`];
    case "removeFromRelations":
      return [RELATIONS, `${write.className} ${write.key}`];
    case "reserveUnique":
    case "releaseUnique":
      return [UNIQUE_VALUES, `${write.scope} ${write.value}`];
    case "releaseAllUnique":
      return [UNIQUE_VALUES, `${write.scope} `];
    // After the objects whose fields they read.
    case "beginRequest":
    case "renewRequest":
    case "saveReplies":
    case "deleteRequest":
      return [REQUESTS, write.key];
    case "fence":
      return [LEASES, write.lease];
    case "incrementCounter":
    case "resetCounter":
      return [COUNTERS, `${write.scope} ${write.value}`];
  }
}

/** Writes that affect many rows, or recreate deleted objects, must keep their order. */
function canReorder(writes: readonly Write[]): boolean {
  const created = new Set<string>();
  for (const write of writes) {
    if (write.kind === "releaseAllUnique" || write.kind === "removeFromRelations") return false;
    if (write.kind === "create") created.add(`${write.schema.table} ${write.id}`);
  }
  return !writes.some(
    (write) =>
      (write.kind === "delete" || write.kind === "restore") &&
      created.has(`${write.schema.table} ${write.id}`),
  );
}

function compare(a: LockKey | undefined, b: LockKey | undefined): number {
  if (!a || !b) return 0;
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1;
  if (a[1] === b[1]) return 0;
  return a[1] < b[1] ? -1 : 1;
}
