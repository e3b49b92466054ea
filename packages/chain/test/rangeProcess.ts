import { RangeFiller } from "../src/indexer/rangeFiller.ts";
import type { DatabaseLocation } from "./indexDatabase.ts";
import { DEFINITION, fetchBlocks, openIndexWithRanges } from "./rangeIndexes.ts";

export interface RangeProcessOptions {
  location: DatabaseLocation;
  /** The first and the last number of the ranges that it may begin. */
  first: number;
  last: number;
  /** The blocks before which it waits. */
  pauses: number[];
}

/**
 * Indexes ranges of the index that the environment gives, one after the other, as a process that is not the leader. For
 * tests that kill or stop it. Before each of some blocks it waits for a message. It sends the reasons of its failures.
 */
const { location, first, last, pauses }: RangeProcessOptions = JSON.parse(process.env.RANGES ?? "{}");
const { ranges } = await openIndexWithRanges(location, []);
if (!ranges) throw new Error("the index has no partitions");

const ignore = () => undefined;
const report = (_message: string, fields?: Record<string, unknown>) => process.send?.(String(fields?.error));
const filler = new RangeFiller({
  ranges,
  scope: {
    blockRange: 2,
    async fetch(from, to) {
      if (pauses.includes(from)) await new Promise((resolve) => process.once("message", resolve));
      return fetchBlocks(from, to);
    },
  },
  definition: async () => DEFINITION,
  chainName: "test",
  log: { debug: ignore, info: ignore, warn: report, error: report },
  retryMs: 20,
});
setInterval(() => filler.start({ first, last }), 20);
process.once("disconnect", () => process.exit());
