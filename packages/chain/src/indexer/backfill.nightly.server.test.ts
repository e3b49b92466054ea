import { afterEach, expect, it } from "vitest";
import { createDatabase, type DatabaseLocation } from "../../test/indexDatabase.ts";
import { proxyNode } from "../../test/proxyNode.ts";
import { dumpIndexes, rebuild } from "../../test/randomHistory.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import { startService } from "../../test/testService.ts";

/** Several processes fill one index with partitions. */

const PARTITION_BLOCKS = 25;
/** Blocks of the first partitions that the node lacks at first, so that the index gets no further. */
const MISSING = { from: 40, end: 3 * PARTITION_BLOCKS };
const WAIT_MS = 60_000;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function newDatabase(): Promise<DatabaseLocation> {
  const { location, remove } = await createDatabase("PostgreSQL");
  ends.push(remove);
  return location;
}

it("an index that several processes fill equals one of a single pass, through a change of the leader and a reorganization", {
  timeout: 180_000,
}, async () => {
  const { chain } = await startTestChain(ends);
  await chain.mine(200);
  const location = await newDatabase();
  let isCut = true;
  const node = await proxyNode(chain.url, ({ method, params }) => {
    const number = Number(params[0]);
    const isMissing = method === "eth_getBlockByNumber" && number >= MISSING.from && number < MISSING.end;
    return isCut && isMissing ? { result: null } : undefined;
  });
  ends.push(() => node.stop());
  const start = async () => {
    const config = { id: chain.chainId, rpcUrls: [node.url], partitionBlocks: PARTITION_BLOCKS };
    const service = await startService(config, location);
    ends.push(() => service.stop());
    return service;
  };
  const leader = await start();
  await leader.waitFor(({ indexed }) => indexed !== null, WAIT_MS);
  const helper = await start();
  const areAhead = () =>
    [leader, helper].some(({ status }) => (status().inAdvance?.blocks ?? 0) >= 4 * PARTITION_BLOCKS);
  await expect.poll(areAhead, { timeout: WAIT_MS, interval: 20 }).toBe(true);
  expect(helper.status().indexed).toBeLessThan(MISSING.end);
  await chain.transfer(0, chain.account(1), 5n);
  await chain.mine(3);
  await chain.reorganize(5);
  await chain.mintNft(chain.account(2));
  await leader.stop();
  isCut = false;
  const second = await start();
  const head = await chain.head();
  for (const service of [helper, second])
    await service.waitFor(({ state, indexed }) => state === "following" && indexed === head, WAIT_MS);
  const lines = [...helper.log.lines, ...second.log.lines].join("\n");
  expect(lines).toContain("added a range to the index");
  expect(second.status().inAdvance).toBeUndefined();
  const anew = await newDatabase();
  await rebuild(chain, anew);
  const [shared, single] = await dumpIndexes(chain, [location, anew]);
  expect(shared).toEqual(single);
});
