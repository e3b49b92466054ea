import { rm } from "node:fs/promises";
import { type DevChain, startDevChain } from "@purse/devchain";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { discardChain } from "../testing/discardChain.ts";
import {
  createChainFolder,
  createDatabase,
  DATABASES_AND_PARTITIONS,
  type DatabaseLocation,
} from "../testing/indexDatabase.ts";
import { dumpIndexes, rebuild, runHistory } from "../testing/randomHistory.ts";
import { testChain } from "../testing/testChain.ts";

/** Number of histories; `npm run prove:histories` runs 200. */
const HISTORIES = Number(process.env.PURSE_HISTORIES ?? 2);

const ends: (() => Promise<unknown>)[] = [];
let devChain: DevChain;

beforeEach(async () => {
  const dataDir = await createChainFolder();
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  devChain = await startDevChain({ port: 0, dataDir });
  ends.push(() => discardChain(devChain));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function newPlace(name: (typeof DATABASES_AND_PARTITIONS)[number]): Promise<DatabaseLocation> {
  const { location, remove } = await createDatabase(name);
  ends.push(remove);
  return location;
}

describe.each(DATABASES_AND_PARTITIONS)("an index on %s", (name) => {
  it.each(Array.from({ length: HISTORIES }, (_, i) => i + 1))(
    "after reorganizations and kills (history %i) equals one that is built in one go",
    { timeout: 120_000 },
    async (seed) => {
      const chain = testChain(devChain);
      const location = await newPlace(name);
      const steps = await runHistory({ seed, events: 25 }, chain, location);
      const anew = await newPlace(name);
      await rebuild(chain, anew);
      const [lived, rebuilt] = await dumpIndexes(chain, [location, anew]);
      expect(lived, steps.join(", ")).toEqual(rebuilt);
    },
  );
});
