import { ParseObject, Query, queryOrder, type Subscription } from "@purse/client";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { LiveReads, mergeInto } from "./liveQueryUpdates.ts";

interface Stored {
  objectId: string;
  createdAt: string;
  n: number | null;
}

const QUERIES: [string, (query: Query) => Query, (a: Stored, b: Stored) => number][] = [
  ["ascending", (query) => query.ascending("n"), (a, b) => rankOf(a) - rankOf(b) || byCreation(a, b)],
  ["descending", (query) => query.descending("n"), (a, b) => rankOf(b) - rankOf(a) || byCreation(b, a)],
  ["unordered", (query) => query, byCreation],
  ["latest", (query) => query.descending("createdAt"), (a, b) => byCreation(b, a)],
];

/** Missing values come first. */
function rankOf({ n }: Stored): number {
  return n ?? Number.NEGATIVE_INFINITY;
}

function byCreation(a: Stored, b: Stored): number {
  return a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0;
}

type Step = { kind: "create" | "update" | "delete"; at: number; n: number | null };

/** A server with the objects of one class, of which those with an odd number or none match the query. */
function serve(compare: (a: Stored, b: Stored) => number, limit: number, skip: number) {
  const stored = new Map<string, Stored>();
  const handlers = new Map<string, (object: ParseObject, original?: ParseObject) => void>();
  const toObject = (fields: Stored) => ParseObject.fromJSON({ className: "Note", ...fields });
  const matches = (object: Stored | undefined): object is Stored => object?.n !== undefined && object.n !== 0;
  const find = () =>
    [...stored.values()]
      .filter(matches)
      .sort(compare)
      .slice(skip, skip + limit);
  let created = 0;
  const apply = ({ kind, at, n }: Step): void => {
    const ids = [...stored.keys()];
    const id = kind === "create" ? `o${created}` : ids[at % Math.max(ids.length, 1)];
    if (id === undefined) return;
    const before = stored.get(id);
    if (kind === "create") created += 1;
    const createdAt = before?.createdAt ?? new Date(created * 1000).toISOString();
    if (kind === "delete") stored.delete(id);
    else stored.set(id, { objectId: id, createdAt, n });
    const after = stored.get(id);
    const [was, is] = [matches(before), matches(after)];
    const event = is
      ? was
        ? "update"
        : before
          ? "enter"
          : "create"
      : was
        ? after
          ? "leave"
          : "delete"
        : "";
    const shown = after ?? before;
    if (event !== "" && shown) handlers.get(event)?.(toObject(shown), before && toObject(before));
  };
  const subscription = {
    on: (event: string, handler: (object: ParseObject, original?: ParseObject) => void) => {
      handlers.set(event, handler);
    },
  };
  return { apply, find, read: () => find().map(toObject), subscription };
}

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom<Step["kind"]>("create", "create", "update", "update", "delete"),
    at: fc.nat(20),
    n: fc.constantFrom(null, 0, 1, 2, 3, 4, 5),
  }),
  { maxLength: 30 },
);

it.each(QUERIES)("live results are those of the query after each event: %s", async (_name, map, compare) => {
  const property = fc.asyncProperty(
    steps,
    fc.constantFrom(1, 3, 100),
    fc.constantFrom(0, 2),
    async (history, limit, skip) => {
      const server = serve(compare, limit, skip);
      let list: ParseObject[] = [];
      let isReading = false;
      const fetch = async () => {
        isReading = true;
        list = server.read();
        isReading = false;
      };
      const query = map(new Query("Note")).limit(limit).skip(skip);
      const subscription: Pick<Subscription, "on"> = Object.assign(Object.create(null), server.subscription);
      mergeInto(
        await queryOrder(query),
        Object.assign(Object.create(null), subscription),
        (change) => {
          list = change(list);
        },
        () => ({}),
        new LiveReads<ParseObject>(),
        fetch,
      );
      for (const step of history) {
        server.apply(step);
        // What has to be read again is read at the end of the turn.
        for (let turn = 0; turn < 5 || isReading; turn++) await Promise.resolve();
        expect(list.map(({ id }) => id)).toEqual(server.find().map(({ objectId }) => objectId));
      }
    },
  );
  await fc.assert(property, { seed: 1, numRuns: 200 });
});
