import type { Write } from "../store.ts";

/** Before the tables of classes, whose names begin with a letter or _. */
const CLAIMS = " claims";
const COUNTS = " counts";
const RELATIONS = " relations";
const REQUESTS = "~requests";
/** After them: a lease is held for as short as can be. */
const LEASES = "~~leases";

/**
 * The places of writes in the order in which all transactions lock rows, so that they do not wait for each other in a
 * circle: by table, then by row. What concerns the same row stays as it was; so do new objects of a class, which are
 * numbered in the order of their creation.
 */
export function lockOrder(writes: readonly Write[]): number[] {
  const places = writes.map((_, i) => i);
  if (!mayBeSorted(writes)) return places;
  const keys = writes.map(lockKeyOf);
  return places.sort((a, b) => compare(keys[a], keys[b]) || a - b);
}

type LockKey = readonly [table: string, row: string];

function lockKeyOf(write: Write): LockKey {
  switch (write.kind) {
    case "create":
      return [write.schema.table, ""];
    case "restore":
    case "update":
    case "delete":
      return [write.schema.table, write.id];
    case "relate":
      return [RELATIONS, `${write.schema.className} ${write.key} ${write.id}`];
    case "leave":
      return [RELATIONS, `${write.className} ${write.key}`];
    case "claim":
    case "release":
      return [CLAIMS, `${write.scope} ${write.value}`];
    case "releaseAll":
      return [CLAIMS, `${write.scope} `];
    // After the objects that are told of in them.
    case "beginRequest":
    case "renewRequest":
    case "remember":
    case "forgetRequest":
      return [REQUESTS, write.key];
    case "fence":
      return [LEASES, write.lease];
    case "count":
    case "uncount":
      return [COUNTS, `${write.scope} ${write.value}`];
  }
}

/** Steps that concern many rows, and objects that are made anew, have to keep their places. */
function mayBeSorted(writes: readonly Write[]): boolean {
  const created = new Set<string>();
  for (const write of writes) {
    if (write.kind === "releaseAll" || write.kind === "leave") return false;
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
