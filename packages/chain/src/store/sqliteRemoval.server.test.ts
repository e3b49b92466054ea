import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { createBlocks, transferLog } from "../../test/fillIndex.ts";
import { createDatabase } from "../../test/indexDatabase.ts";
import { type BlockRows, positionOf } from "../model/rows.ts";
import { openSqliteFile } from "./sqliteFile.ts";
import { createSqliteWriter } from "./sqliteIndexWriter.ts";
import { keptFrom, SqliteRemoval } from "./sqliteRemoval.ts";

const TOKEN = `0x${"ee".repeat(20)}`;
const [FROM, TO] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`];
const [BLOCKS, PER_BLOCK] = [40, 300];

it("removeBefore() removes the events of whole blocks in transactions of a limited number of rows", async () => {
  const { location, remove } = await createDatabase("SQLite");
  if (location.kind !== "sqlite") throw new Error("the index is not in SQLite");
  const path = join(location.folder, "index.sqlite");
  const writer = createSqliteWriter(path);
  const addContents = ({ logs }: BlockRows, block: number) => {
    for (let i = 0; i < PER_BLOCK; i++)
      logs.push(transferLog(block, i, { token: TOKEN, from: FROM, to: TO }));
  };
  await writer.append(undefined, createBlocks(0, BLOCKS + 5, undefined, addContents), []);
  const db = openSqliteFile(path);
  const removal = new SqliteRemoval(db, 10);
  const transactions = vi.spyOn(db, "transaction");
  let step = await removal.removeBefore(BLOCKS + 3);
  while (step.hasMore) step = await removal.removeBefore(BLOCKS + 3);
  expect(step.isRemoved).toBe(true);
  // One creates a table, and the others remove at most 2,000 rows each.
  expect(transactions.mock.calls.length).toBeGreaterThan((BLOCKS * PER_BLOCK) / 2_000);
  expect(keptFrom(db)).toBe(BLOCKS);
  expect(db.prepare("SELECT min(position) AS first, count(*) AS n FROM logs").get()).toEqual({
    first: positionOf(BLOCKS, 0),
    n: 5 * PER_BLOCK,
  });
  expect(db.prepare("SELECT DISTINCT n FROM list_counts").all()).toEqual([{ n: 5 * PER_BLOCK }]);
  // Fewer blocks than are removed together.
  expect(await removal.removeBefore(BLOCKS + 5)).toEqual({ isRemoved: false, hasMore: false });
  db.close();
  await writer.close();
  await remove();
});
