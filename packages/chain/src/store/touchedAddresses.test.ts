import { expect, it } from "vitest";
import { toBytes } from "../model/hexBytes.ts";
import { CLICKHOUSE } from "./clickhouse/clickhouseDialect.ts";
import type { IndexReader } from "./indexReader.ts";
import { readTouchedAddresses } from "./touchedAddresses.ts";

const ADDRESS = `0x${"a1".repeat(20)}`;
const hashOf = (number: number) => `0x${String(number).padStart(64, "0")}`;

/** Returns the same rows for all queries. */
function readerOf(rows: unknown[]): IndexReader {
  return {
    dialect: CLICKHOUSE,
    all: async <Row>() => rows as Row[],
    change: async () => 0,
    close: async () => undefined,
  };
}

it("readTouchedAddresses() omits the missing party of a deposit of wrapped coins in ClickHouse", async () => {
  const pinned = readerOf([{ address: toBytes(ADDRESS) }, { address: null }]);
  const events: IndexReader = {
    ...pinned,
    pin: async () => ({ reader: pinned, end: Number.MAX_SAFE_INTEGER, isCurrent: async () => true }),
  };
  const state = readerOf([1, 2].map((number) => ({ number, hash: toBytes(hashOf(number)) })));
  const [after, upTo] = [1, 2].map((number) => ({ number, hash: hashOf(number) }));
  if (!after || !upTo) throw new Error("there are no blocks");
  expect(await readTouchedAddresses(events, state, after, upTo)).toEqual(new Set([ADDRESS]));
});
