import { it } from "vitest";
import { MISSING, startChainOfTest, WAIT_MS } from "../../test/chainWithGap.ts";
import { rowsOf } from "../../test/jsonResponses.ts";

/**
 * Indexes that are built beside the one that is read. Most tests run concurrently, because they mostly wait until processes notice
 * each other's indexes; one reads without a pause.
 */

const PARTITION_BLOCKS = 25;
const POLL = { timeout: WAIT_MS, interval: 20 };

it("an index gets partitions beside the one that is read, through a reorganization and a restart, without failing reads", {
  timeout: 180_000,
}, async (context) => {
  const { expect } = context;
  const test = await startChainOfTest(context);
  const { chain, gap } = test;
  const first = await test.start({});
  await test.waitForHead(first);
  await first.stop();
  gap.isCut = true;
  const interrupted = await test.start({ partitionBlocks: PARTITION_BLOCKS });
  const unfinished = await interrupted.waitFor(
    ({ head, rebuild }) => head !== null && rebuild?.indexed === MISSING.from - 1,
    WAIT_MS,
  );
  expect(unfinished.rebuild).toMatchObject({
    blocks: MISSING.from,
    missing: (unfinished.head ?? 0) - MISSING.from + 1,
  });
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
  await test.waitForSwitch(reader, builder);
  isRead = false;
  expect(await answers).toEqual([]);
  await chain.reorganize(4);
  await chain.transfer(0, chain.account(3), 7n);
  for (const service of [reader, builder]) await test.waitForHead(service);
  expect(await test.kindOfLogs()).toBe("p");
  await expect.poll(test.schemas, POLL).toEqual([`chain_${chain.chainId}`]);
  expect(builder.status().rebuild).toBeUndefined();
  await test.expectSameAsAnew();
});

it.concurrent("an index with an earlier start block is built beside one that stays readable", {
  timeout: 180_000,
}, async (context) => {
  const { expect } = context;
  const test = await startChainOfTest(context);
  const { chain, gap } = test;
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
  await expect.poll(test.schemas, POLL).toContain(`chain_${chain.chainId}_next`);
  gap.isCut = false;
  await test.waitForSwitch(first, builder);
  await chain.transfer(0, chain.account(1), 6n);
  for (const service of [first, builder]) await test.waitForHead(service);
  await test.expectSameAsAnew();
});

it.concurrent("an index of known wallets becomes one of the whole chain, although the process that builds it is killed", {
  timeout: 180_000,
}, async (context) => {
  const { expect } = context;
  const test = await startChainOfTest(context);
  const { chain, gap } = test;
  const wallets = await test.start({ scope: "wallets" });
  const query = { address: chain.account(0), chain: `0x${chain.chainId.toString(16)}` };
  // The history of a wallet is indexed when it is first asked for.
  const read = () => wallets.run("getTokenTransfers", query).then(rowsOf, () => []);
  await expect.poll(read, POLL).not.toEqual([]);
  const known = await read();
  gap.isCut = true;
  const killed = test.startProcess({});
  await expect.poll(() => killed.status()?.rebuild?.indexed, POLL).toBe(MISSING.from - 1);
  await killed.kill();
  await expect.poll(read, POLL).toEqual(known);
  const resumed = await test.start({});
  const status = await resumed.waitFor(({ rebuild }) => typeof rebuild?.indexed === "number", WAIT_MS);
  expect(status).toMatchObject({ scope: "chain", state: "syncing", rebuild: { indexed: MISSING.from - 1 } });
  gap.isCut = false;
  await test.waitForSwitch(wallets, resumed);
  await chain.transfer(0, chain.account(3), 7n);
  await test.waitForHead(resumed);
  await test.expectSameAsAnew();
});
