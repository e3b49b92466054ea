import pg from "pg";
import { afterEach, expect, it } from "vitest";
import type { ChainConfig } from "../model/chainConfig.ts";
import { createDatabase, type DatabaseLocation } from "../testing/indexDatabase.ts";
import { rowsOf } from "../testing/jsonResponses.ts";
import { proxyNode } from "../testing/proxyNode.ts";
import { dumpIndexes, rebuild } from "../testing/randomHistory.ts";
import { startTestChain } from "../testing/startTestChain.ts";
import { startService, type TestService } from "../testing/testService.ts";

/** Indexes that are built beside the one that is read. */

const PARTITION_BLOCKS = 25;
/** Blocks that the node lacks at first, so that the new index gets no further. */
const MISSING = { from: 40, end: 60 };
const WAIT_MS = 60_000;
/** No read fails because the machine is slow. */
const LIMIT = { timeoutMs: WAIT_MS, maxRows: 20_000 };
const READ_LIMITS = { lookup: LIMIT, list: LIMIT };
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function newDatabase(): Promise<DatabaseLocation> {
  const { location, remove } = await createDatabase("PostgreSQL");
  ends.push(remove);
  return location;
}

/** A chain whose node can lack blocks, and its index. */
async function startChainWithGap() {
  const { chain } = await startTestChain(ends);
  await chain.mine(80);
  const location = await newDatabase();
  if (location.kind !== "postgres") throw new Error("the index is not on PostgreSQL");
  const gap = { isCut: false };
  const node = await proxyNode(chain.url, ({ method, params }) => {
    const number = Number(params[0]);
    const isMissing = method === "eth_getBlockByNumber" && number >= MISSING.from && number < MISSING.end;
    return gap.isCut && isMissing ? { result: null } : undefined;
  });
  ends.push(() => node.stop());
  const client = new pg.Client({ connectionString: location.url });
  await client.connect();
  ends.push(() => client.end());
  return {
    ...{ chain, location, gap },
    async start(settings: Partial<ChainConfig>): Promise<TestService> {
      const config = { id: chain.chainId, rpcUrls: [node.url], ...settings };
      const service = await startService(config, location, { readLimits: READ_LIMITS });
      ends.push(() => service.stop());
      return service;
    },
    waitForHead: async (service: TestService) => {
      const head = await chain.head();
      return service.waitFor(({ state, indexed }) => state === "following" && indexed === head, WAIT_MS);
    },
    async schemas(): Promise<string[]> {
      const { rows } = await client.query<{ name: string }>(
        "SELECT nspname::text AS name FROM pg_namespace WHERE starts_with(nspname, 'chain_') ORDER BY 1",
      );
      return rows.map(({ name }) => name);
    },
    async dropNext(): Promise<void> {
      await client.query(`DROP SCHEMA chain_${chain.chainId}_next CASCADE`);
    },
    async kindOfLogs(): Promise<string | undefined> {
      const { rows } = await client.query<{ kind: string }>(
        `SELECT relkind::text AS kind FROM pg_class WHERE oid = 'chain_${chain.chainId}.logs'::regclass`,
      );
      return rows[0]?.kind;
    },
  };
}

it("an index gets partitions beside the one that is read, through a reorganization and a restart, without failing reads", {
  timeout: 180_000,
}, async () => {
  const test = await startChainWithGap();
  const { chain, gap, location } = test;
  const first = await test.start({});
  await test.waitForHead(first);
  await first.stop();
  gap.isCut = true;
  const interrupted = await test.start({ partitionBlocks: PARTITION_BLOCKS });
  await interrupted.waitFor(({ rebuild }) => rebuild?.indexed === MISSING.from - 1, WAIT_MS);
  // The index that is read follows the chain meanwhile.
  await chain.transfer(0, chain.account(1), 5n);
  await chain.reorganize(2);
  await chain.mintNft(chain.account(2));
  await test.waitForHead(interrupted);
  expect(await test.kindOfLogs()).toBe("r");
  await interrupted.stop();

  const reader = await test.start({});
  const builder = await test.start({ partitionBlocks: PARTITION_BLOCKS });
  const resumed = await builder.waitFor(({ rebuild }) => typeof rebuild?.indexed === "number", WAIT_MS);
  expect(resumed.rebuild?.indexed).toBe(MISSING.from - 1);
  const query = { address: chain.account(0), chain: `0x${chain.chainId.toString(16)}` };
  const read = () => reader.runWithStatus("getTokenTransfers", query);
  const before = await read();
  expect(rowsOf(before.body).length).toBeGreaterThan(0);
  let isRead = true;
  const answers = (async () => {
    const different: unknown[] = [];
    while (isRead) {
      const answer = await read();
      if (JSON.stringify(answer) !== JSON.stringify(before)) different.push(answer);
    }
    return different;
  })();
  gap.isCut = false;
  for (const service of [reader, builder])
    await expect
      .poll(() => service.log.lines.join(), { timeout: WAIT_MS, interval: 20 })
      .toContain("opened the index that has taken the place of another one");
  isRead = false;
  expect(await answers).toEqual([]);
  await chain.reorganize(4);
  await chain.transfer(0, chain.account(3), 7n);
  for (const service of [reader, builder]) await test.waitForHead(service);
  expect(await test.kindOfLogs()).toBe("p");
  await expect.poll(test.schemas, { timeout: WAIT_MS, interval: 20 }).toEqual([`chain_${chain.chainId}`]);
  expect(builder.status().rebuild).toBeUndefined();
  const anew = await newDatabase();
  await rebuild(chain, anew);
  const [switched, single] = await dumpIndexes(chain, [location, anew]);
  expect(switched).toEqual(single);
});

it("an index with an earlier start block is built beside one that stays readable", {
  timeout: 180_000,
}, async () => {
  const test = await startChainWithGap();
  const { chain, gap, location } = test;
  const first = await test.start({ startBlock: 70 });
  await test.waitForHead(first);
  gap.isCut = true;
  const builder = await test.start({});
  const built = await builder.waitFor(({ rebuild }) => rebuild?.indexed === MISSING.from - 1, WAIT_MS);
  expect(built).toMatchObject({ state: "syncing", start: 0, lag: (built.head ?? 0) - MISSING.from + 1 });
  expect(await test.schemas()).toEqual([`chain_${chain.chainId}`, `chain_${chain.chainId}_next`]);
  await chain.transfer(0, chain.account(1), 5n);
  await test.waitForHead(first);
  // If somebody removes the new index, another one is begun.
  await test.dropNext();
  await expect
    .poll(test.schemas, { timeout: WAIT_MS, interval: 20 })
    .toContain(`chain_${chain.chainId}_next`);
  gap.isCut = false;
  const areSwitched = () =>
    [first, builder].every(({ log }) =>
      log.lines.join().includes("opened the index that has taken the place"),
    );
  await expect.poll(areSwitched, { timeout: WAIT_MS, interval: 20 }).toBe(true);
  await chain.transfer(0, chain.account(1), 6n);
  for (const service of [first, builder]) await test.waitForHead(service);
  const anew = await newDatabase();
  await rebuild(chain, anew);
  const [switched, single] = await dumpIndexes(chain, [location, anew]);
  expect(switched).toEqual(single);
});
