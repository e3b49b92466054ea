import { expect, it } from "vitest";
import { positionOf } from "../model/rows.ts";
import { HistorySource, readTransactions, transactionOf } from "./historySource.ts";

interface Row {
  position: number;
  transaction_index: number;
}

/** A transaction, given by its block and index, with a number of logs. */
type Logs = readonly [block: number, index: number, count: number];

function rowsOf(logs: readonly Logs[]): Row[] {
  const inBlock = new Map<number, number>();
  return logs.flatMap(([block, index, count]) =>
    Array.from({ length: count }, () => {
      const log = inBlock.get(block) ?? 0;
      inBlock.set(block, log + 1);
      return { position: positionOf(block, log), transaction_index: index };
    }),
  );
}

/** Sources of rows, and the numbers of rows that were requested from each. */
function createSources(tables: readonly Row[][], ascending: boolean, after?: number) {
  const sign = ascending ? 1 : -1;
  const requested = tables.map((): number[] => []);
  const sources = tables.map((table, i) => {
    const rows = table
      .filter((row) => after === undefined || sign * (transactionOf(row) - after) > 0)
      .sort((a, b) => sign * (a.position - b.position));
    return new HistorySource<Row>(async (limit, last) => {
      requested[i]?.push(limit);
      const rest = last ? rows.filter(({ position }) => sign * (position - last.position) > 0) : rows;
      return rest.slice(0, limit);
    });
  });
  return { sources, requested };
}

/** A small generator, so that every run reads the same rows. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

it.each([1, 2, 3, 4, 5, 6])(
  "readTransactions() returns each transaction once, with all its rows, in pages of any size (seed %i)",
  async (seed) => {
    const random = createRandom(seed);
    const tables = Array.from({ length: 3 }, () =>
      rowsOf(Array.from({ length: 60 }, (_, i): Logs => [Math.floor(i / 7), i % 7, random(3) * random(60)])),
    );
    const all = [...new Set(tables.flat().map(transactionOf))].sort((a, b) => a - b);
    for (const ascending of [true, false]) {
      for (const limit of [1, 5, 100]) {
        const found: number[] = [];
        for (let hasMore = true; hasMore; ) {
          const { sources } = createSources(tables, ascending, found.at(-1));
          const page = await readTransactions(sources, { limit, ascending });
          for (const position of page.positions) {
            const counts = sources.map(
              (source) => source.byTransaction((row) => row).get(position)?.length ?? 0,
            );
            const expected = tables.map(
              (rows) => rows.filter((row) => transactionOf(row) === position).length,
            );
            expect(counts).toEqual(expected);
          }
          found.push(...page.positions);
          expect(page.positions.length).toBeLessThanOrEqual(limit);
          ({ hasMore } = page);
        }
        expect(found).toEqual(ascending ? all : all.toReversed());
      }
    }
  },
);

it("readTransactions() reads each source once if the first rows contain the page", async () => {
  const dense = rowsOf(Array.from({ length: 1_000 }, (_, i): Logs => [i, 0, 1]));
  const few = rowsOf([[999, 0, 3]]);
  const { sources, requested } = createSources([dense, dense, few, []], false);
  const page = await readTransactions(sources, { limit: 100, ascending: false });
  expect(page).toMatchObject({ hasMore: true, positions: { length: 100 } });
  expect(requested).toEqual([[128], [128], [128], [128]]);
});

it("readTransactions() reads on from those sources only that do not reach the end of the page", async () => {
  const single = rowsOf(Array.from({ length: 1_000 }, (_, i): Logs => [i, 0, 1]));
  const batches = rowsOf(Array.from({ length: 1_000 }, (_, i): Logs => [i, 0, 5]));
  const { sources, requested } = createSources([single, batches], true);
  await readTransactions(sources, { limit: 100, ascending: true });
  expect(requested).toEqual([[128], [128, 512]]);
});

it("readTransactions() ends a page before a transaction with too many rows, which is a page of its own", async () => {
  const huge = rowsOf([
    [1, 0, 2],
    [2, 0, 20_000],
    [3, 0, 1],
  ]);
  const first = await readTransactions(createSources([huge], true).sources, { limit: 10, ascending: true });
  expect(first).toEqual({ positions: [positionOf(1, 0)], hasMore: true });
  const { sources } = createSources([huge], true, first.positions[0]);
  const second = await readTransactions(sources, { limit: 10, ascending: true });
  expect(second).toEqual({ positions: [positionOf(2, 0)], hasMore: true });
  expect(sources[0]?.rows.length).toBeLessThan(6_000);
});
