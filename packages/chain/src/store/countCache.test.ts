import { sql } from "kysely";
import { expect, it } from "vitest";
import { toBytes } from "../model/hexBytes.ts";
import { CountCache, type HeldCount } from "./countCache.ts";
import { compileQuery, type IndexQuery } from "./indexQuery.ts";
import { type IndexReader, UNBOUNDED_SQLITE } from "./indexReader.ts";

const COUNTING = sql<HeldCount>`SELECT count(*) AS n, 0 AS ranges FROM nft_balances`;

/** An index whose count is a thousand times its latest block. */
function createIndex(whileCounting: () => void = () => undefined) {
  const state = { block: 1, counted: 0, definition: "first" };
  const reader: IndexReader = {
    dialect: UNBOUNDED_SQLITE,
    async all<Row>(query: IndexQuery<Row>) {
      const hash = toBytes(`0x${String(state.block).padStart(64, "0")}`);
      if (!compileQuery(UNBOUNDED_SQLITE.compiler, query).text.includes("nft_balances")) {
        const rows: unknown[] = [
          { hash, value: null },
          { hash: null, value: state.definition },
        ];
        return rows as Row[];
      }
      state.counted += 1;
      const rows: unknown[] = [{ n: state.block * 1_000, ranges: 0 }];
      whileCounting();
      return rows as Row[];
    },
    change: async () => 0,
    close: async () => undefined,
  };
  return { state, counts: new CountCache(reader) };
}

it("read() counts once per block for concurrent and later requests", async () => {
  const { state, counts } = createIndex();
  const all = await Promise.all([counts.read(COUNTING), counts.read(COUNTING)]);
  expect([...all, await counts.read(COUNTING)].map(({ n }) => n)).toEqual([1_000, 1_000, 1_000]);
  expect(state.counted).toBe(1);
  state.block = 2;
  expect(await counts.read(COUNTING)).toMatchObject({ n: 2_000 });
});

it("read() does not keep a count during which a block was written and removed again", async () => {
  let onCount = () => {};
  const { state, counts } = createIndex(() => onCount());
  state.block = 2;
  onCount = () => {
    state.block = 3;
  };
  await counts.read(COUNTING);
  onCount = () => {};
  state.block = 2;
  await counts.read(COUNTING);
  expect(state.counted).toBe(2);
});

it("read() counts again when another index has taken the place of the one that was counted", async () => {
  const { state, counts } = createIndex();
  await counts.read(COUNTING);
  state.definition = "second";
  await counts.read(COUNTING);
  expect(state.counted).toBe(2);
});
