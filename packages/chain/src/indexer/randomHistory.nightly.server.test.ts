import { rm } from "node:fs/promises";
import { type DevChain, startDevChain } from "@purse/devchain";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { discardChain } from "../../test/discardChain.ts";
import {
  createChainFolder,
  createDatabase,
  DATABASES_AND_PARTITIONS,
  type DatabaseLocation,
} from "../../test/indexDatabase.ts";
import { dumpIndexes, rebuild, runHistory } from "../../test/randomHistory.ts";
import { testChain } from "../../test/testChain.ts";

/** The seeds of the histories of a kind of database: one by default, 200 with `npm run prove:histories`. */
function seedsOf(kind: number): number[] {
  const { PURSE_HISTORIES } = process.env;
  if (PURSE_HISTORIES === undefined) return [kind + 1];
  return Array.from({ length: Number(PURSE_HISTORIES) }, (_, i) => i + 1);
}

const ends: (() => Promise<unknown>)[] = [];
let devChain: DevChain;

beforeEach(async () => {
  const dataDir = await createChainFolder();
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  devChain = await startDevChain({ port: 0, dataDir, autoSave: false });
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

describe.each(DATABASES_AND_PARTITIONS.map((name, kind) => [name, kind] as const))(
  "an index on %s",
  (name, kind) => {
    it.each(seedsOf(kind))(
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
  },
);
