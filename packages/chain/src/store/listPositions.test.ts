import { expect, it, vi } from "vitest";
import { toBytes } from "../model/hexBytes.ts";
import { compileQuery, type IndexQuery } from "./indexQuery.ts";
import { type IndexReader, UNBOUNDED_SQLITE } from "./indexReader.ts";
import { type CountedList, ListPositions } from "./listPositions.ts";

const COUNTS = [{ list: 1, key: new Uint8Array([1]), detail: new Uint8Array() }];
const making = (layout: number) => JSON.stringify({ layout, scope: "chain", startBlock: 0, wrapped: null });
const upgradeTo = (target: string) => JSON.stringify({ target, block: 1 });
const hashOf = (number: number, fork: string) =>
  `0x${fork.repeat(2)}${number.toString(16).padStart(62, "0")}`;

/** An index with a list that has ten rows per block. */
function createIndex() {
  const state = { newest: 90, fork: (_number: number) => "a", facts: new Map([["making", making(6)]]) };
  const block = (number: number) => ({ number, hash: toBytes(hashOf(number, state.fork(number))) });
  const reader: IndexReader = {
    dialect: UNBOUNDED_SQLITE,
    async all<Row>(query: IndexQuery<Row>) {
      const { text, parameters } = compileQuery(UNBOUNDED_SQLITE.compiler, query);
      const numbers = parameters.filter((each) => typeof each === "number" && each <= state.newest);
      const isCounting = text.includes("list_counts");
      const requested = (isCounting ? numbers.slice(1) : numbers).flatMap((each) =>
        each === -1 ? [] : [Number(each)],
      );
      const blocks = [...new Set([...(isCounting ? [state.newest] : []), ...requested])].map(block);
      const rows: unknown[] = isCounting
        ? [
            { number: state.newest * 10, hash: null, fact: null, value: null },
            ...blocks.map((each) => ({ ...each, fact: null, value: null })),
            ...[...state.facts].map(([fact, value]) => ({ number: 0, hash: null, fact, value })),
          ]
        : blocks;
      return rows as Row[];
    },
    change: async () => 0,
    close: async () => undefined,
  };
  return { state, positions: new ListPositions(reader) };
}

async function counted(positions: ListPositions): Promise<CountedList> {
  const list = await positions.count(COUNTS);
  if (list) return list;
  throw new Error("the list is not counted");
}

it("remember() keeps nothing of a request that one at a later block has overtaken", async () => {
  const { state, positions } = createIndex();
  const slow = await counted(positions);
  state.newest = 100;
  await positions.remember(await counted(positions), 950, true, [{ position: 95 }]);
  await positions.remember(slow, 800, true, [{ position: 80 }]);
  expect(positions.start(await counted(positions), 960, true).from?.position).toBe(95);
  state.fork = (number) => (number >= 95 ? "b" : "a");
  expect(positions.start(await counted(positions), 960, true).from).toBeUndefined();
});

it("count() returns nothing during an upgrade, and forgets the rows that were known before", async () => {
  const { state, positions } = createIndex();
  await positions.remember(await counted(positions), 500, true, [{ position: 50 }]);
  expect(positions.start(await counted(positions), 510, true)).toMatchObject({ skip: 10 });
  state.facts.set("upgrade", upgradeTo(making(7)));
  expect(await positions.count(COUNTS)).toBeUndefined();
  state.facts.set("making", making(7));
  expect(positions.start(await counted(positions), 510, true).from).toBeUndefined();
});

it("count() returns nothing once an index of known wallets has taken the place of one of the whole chain", async () => {
  const { state, positions } = createIndex();
  await positions.remember(await counted(positions), 500, true, [{ position: 50 }]);
  state.facts.set("making", JSON.stringify({ layout: 6, scope: "wallets" }));
  expect(await positions.count(COUNTS)).toBeUndefined();
});

it("start() forgets rows that were ranked before an upgrade of which no request was aware", async () => {
  const { state, positions } = createIndex();
  const before = await counted(positions);
  await positions.remember(before, 500, true, [{ position: 50 }]);
  state.facts.set("upgrade", upgradeTo(making(7))).set("making", making(7));
  expect(positions.start(await counted(positions), 510, true).from).toBeUndefined();
  await positions.remember(before, 500, true, [{ position: 50 }]);
  expect(positions.start(await counted(positions), 510, true).from).toBeUndefined();
});

it("start() forgets rows after some minutes", async () => {
  const { positions } = createIndex();
  await positions.remember(await counted(positions), 500, true, [{ position: 50 }]);
  vi.useFakeTimers({ now: Date.now() + 6 * 60_000, toFake: ["Date"] });
  try {
    expect(positions.start(await counted(positions), 510, true).from).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});
