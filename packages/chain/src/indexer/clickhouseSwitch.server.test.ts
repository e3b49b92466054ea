import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { MISSING, startChainWithGap, WAIT_MS } from "../../test/chainWithGap.ts";
import type { DatabaseLocation } from "../../test/indexDatabase.ts";
import { objectOf, rowsOf } from "../../test/jsonResponses.ts";
import type { TestService } from "../../test/testService.ts";
import { UNUSED_TABLES_FACT } from "../store/clickhouse/unusedTables.ts";

/** Indexes with their events in ClickHouse that take the place of others; see `npm run test:clickhouse`. */

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The same database without the URL of ClickHouse. */
function withoutEvents({ clickHouseUrl: _, ...location }: DatabaseLocation): DatabaseLocation {
  return location;
}

/** Reads a list until `stop()`, which returns the responses that were not those of the first read. */
async function readRepeatedly(service: TestService, query: { address: string; from_block?: number }) {
  const read = () => service.runWithStatus("getTokenTransfers", query);
  const before = await read();
  expect(rowsOf(before.body).length).toBeGreaterThan(0);
  const different: unknown[] = [];
  let isRead = true;
  const reads = (async () => {
    while (isRead) {
      const answer = await read().catch(String);
      if (JSON.stringify(answer) !== JSON.stringify(before)) different.push(answer);
    }
  })();
  // A failed test does not stop it.
  onTestFinished(() => {
    isRead = false;
  });
  return {
    async stop() {
      isRead = false;
      await reads;
      return different;
    },
  };
}

describe.runIf(process.env.PURSE_TEST_CLICKHOUSE_URL !== undefined)("indexes in ClickHouse", () => {
  it("are replaced by one with an earlier start without failing reads, although the process that builds it is killed", {
    timeout: 180_000,
  }, async () => {
    const test = await startChainWithGap(ends);
    const { chain, gap } = test;
    const first = await test.start({ startBlock: 10 });
    await test.waitForHead(first);
    const { id } = JSON.parse((await test.fact("events")) ?? "{}");
    gap.isCut = true;
    const killed = test.startProcess({});
    await expect
      .poll(() => killed.status()?.rebuild?.indexed, { timeout: WAIT_MS, interval: 20 })
      .toBe(MISSING.from - 1);
    await killed.kill();
    await chain.transfer(0, chain.account(1), 5n);
    await test.waitForHead(first);
    const reads = await readRepeatedly(first, { address: chain.account(1), from_block: 10 });
    const builder = await test.start({});
    gap.isCut = false;
    await test.waitForSwitch(first, builder);
    expect(await reads.stop()).toEqual([]);
    await chain.reorganize(2);
    await chain.transfer(0, chain.account(3), 7n);
    for (const service of [first, builder]) await test.waitForHead(service);
    await test.expectSameAsAnew();
    expect(JSON.parse((await test.fact(UNUSED_TABLES_FACT)) ?? "[]")).toMatchObject([{ id }]);
  });

  it("take the place of one without events there, and are replaced by such a one, while processes with the URL read", {
    timeout: 180_000,
  }, async () => {
    const test = await startChainWithGap(ends);
    const { chain, location } = test;
    const withoutUrl = await test.start({}, withoutEvents(location));
    await test.waitForHead(withoutUrl);
    const transfers = () => withoutUrl.run("getTokenTransfers", { address: chain.account(0) });
    const before = await transfers();
    const withUrl = await test.start({});
    const reads = await readRepeatedly(withUrl, { address: chain.account(0) });
    const readsWithoutUrl = await readRepeatedly(withoutUrl, { address: chain.account(0) });
    await test.waitForSwitch(withUrl, withoutUrl);
    expect(await test.fact("events")).toBeDefined();
    expect(await reads.stop()).toEqual([]);
    const different = await readsWithoutUrl.stop();
    expect(different.filter((answer) => typeof answer !== "string")).toEqual([]);
    expect(await withUrl.run("getTokenTransfers", { address: chain.account(0) })).toEqual(before);
    // It does not know where the events are.
    await expect.poll(() => transfers().catch(({ status }) => status), { timeout: WAIT_MS }).toBe(503);
    await withoutUrl.stop();
    const later = await readRepeatedly(withUrl, { address: chain.account(0) });
    withUrl.log.lines.length = 0;
    const removed = await test.start({}, withoutEvents(location));
    await test.waitForSwitch(withUrl, removed);
    expect(await later.stop()).toEqual([]);
    expect(objectOf(await removed.run("getTokenTransfers", { address: chain.account(0) }))).toEqual(before);
    expect(removed.log.lines.join()).toContain("tables in ClickHouse are not used any more");
    await chain.transfer(0, chain.account(3), 7n);
    await test.waitForHead(removed);
  });
});
