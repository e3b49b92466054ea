import { rm } from "node:fs/promises";
import { type DevChain, startDevChain } from "@purse/devchain";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dumps, liveThrough, rebuild } from "../testing/randomHistory.ts";
import { begunFolder, DATABASES, newDatabase, type Place, testChain } from "../testing/testChain.ts";

/** How many; `npm run prove:histories` runs 200. */
const HISTORIES = Number(process.env.PURSE_HISTORIES ?? 2);

const ends: (() => Promise<unknown>)[] = [];
let devChain: DevChain;

beforeEach(async () => {
  const dataDir = await begunFolder();
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  devChain = await startDevChain({ port: 0, dataDir });
  ends.push(() => devChain.stop());
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function newPlace(name: (typeof DATABASES)[number]): Promise<Place> {
  const { place, remove } = await newDatabase(name);
  ends.push(remove);
  return place;
}

describe.each(DATABASES)("an index on %s", (name) => {
  it.each(Array.from({ length: HISTORIES }, (_, i) => i + 1))(
    "after reorganisations and kills (history %i) is what one made at one go is",
    { timeout: 120_000 },
    async (seed) => {
      const chain = testChain(devChain);
      const place = await newPlace(name);
      const told = await liveThrough({ seed, events: 25 }, chain, place);
      const anew = await newPlace(name);
      await rebuild(chain, anew);
      const [lived, rebuilt] = await dumps(chain, [place, anew]);
      expect(lived, told.join(", ")).toEqual(rebuilt);
    },
  );
});
