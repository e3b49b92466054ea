import { readdir, rm } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { type Connections, forwardConnections } from "../../test/forwardConnections.ts";
import { createDatabase, createTempFolder, dumpIndex } from "../../test/indexDatabase.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";
import type { IndexDatabase } from "../model/chainConfig.ts";

/** The index of a chain in a PostgreSQL database of its own, while those of the others would be SQLite files. */

const WAIT_MS = 60_000;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Own {
  /** The database as the indexes of all chains, to read it. */
  location: Awaited<ReturnType<typeof createDatabase>>["location"];
  /** The way to the database, and the setting that leads there. */
  connections: Connections;
  database: IndexDatabase;
}

async function createOwnDatabase(): Promise<Own> {
  const { location, remove } = await createDatabase("PostgreSQL");
  ends.push(remove);
  if (location.kind !== "postgres") throw new Error("the database is not PostgreSQL");
  const { port } = new URL(location.url);
  const connections = await forwardConnections(Number(port));
  ends.push(() => connections.close());
  const url = Object.assign(new URL(location.url), { port: String(connections.port) }).href;
  return { location, connections, database: { url, connections: 2 } };
}

async function start(chain: TestChain, folder: string, database: IndexDatabase): Promise<TestService> {
  const service = await startService({ id: chain.chainId, rpcUrls: [chain.url], database }, folder);
  ends.push(() => service.stop());
  return service;
}

async function waitForHead(service: TestService, chain: TestChain) {
  const head = await chain.head();
  return service.waitFor(({ state, indexed }) => state === "following" && indexed === head, WAIT_MS);
}

it("an own database contains the whole index of its chain, through reorganizations, outages and restarts", async () => {
  const { chain } = await startTestChain(ends);
  const { location, connections, database } = await createOwnDatabase();
  const folder = await createTempFolder();
  ends.push(() => rm(folder, { recursive: true, force: true }));
  const query = { address: chain.account(0), chain: `0x${chain.chainId.toString(16)}`, limit: 1 };
  const list = (service: TestService) => service.runWithStatus("getTokenTransfers", query);
  /** The hashes of the blocks in the index and on the chain. */
  const expectWholeIndex = async () => {
    const { blocks } = await dumpIndex(location, chain.chainId);
    const head = await chain.head();
    const numbers = Array.from({ length: head + 1 }, (_, number) => number);
    const onChain = await Promise.all(
      numbers.map((number) => chain.rpc("eth_getBlockByNumber", [`0x${number.toString(16)}`, false])),
    );
    expect(blocks.map(({ hash }) => hash)).toEqual(onChain.map((block) => Object(block).hash));
  };

  // Unavailable at the start.
  connections.break();
  const service = await start(chain, folder, database);
  expect(service.status()).toMatchObject({
    state: "unreachable",
    isDatabaseUnavailable: true,
    error: "the database of the index is not available",
  });
  await expect(list(service)).rejects.toMatchObject({ status: 503, message: /index is not available/ });
  connections.restore();
  expect((await waitForHead(service, chain)).isDatabaseUnavailable).toBeUndefined();
  expect(await list(service)).toMatchObject({ status: 200, body: { result: [{}] } });
  await expectWholeIndex();

  // A reorganization.
  await chain.reorganize(3);
  await chain.transfer(0, chain.account(1), 5n);
  await waitForHead(service, chain);
  await expectWholeIndex();

  // An outage, during which the chain goes on.
  connections.break();
  await chain.transfer(0, chain.account(1), 7n);
  await service.waitFor(({ isDatabaseUnavailable }) => isDatabaseUnavailable === true, WAIT_MS);
  expect(service.status()).toMatchObject({ state: "unreachable" });
  await expect(list(service)).rejects.toMatchObject({ status: 503 });
  const events = service.service.eventReader(chain.chainId);
  await expect(events.head()).rejects.toMatchObject({ status: 503 });
  connections.restore();
  await waitForHead(service, chain);
  await expectWholeIndex();

  // Another process takes over, and goes on where the first one stopped.
  const firstTerm = service.status().term ?? 0;
  const other = await start(chain, folder, database);
  await waitForHead(other, chain);
  expect(other.status().term).toBeUndefined();
  await service.stop();
  await chain.mine(2);
  const taken = await other.waitFor(({ term }) => term !== undefined, WAIT_MS);
  expect(taken.term).toBeGreaterThan(firstTerm);
  await waitForHead(other, chain);
  await expectWholeIndex();
  expect(await readdir(folder)).toEqual([]);
  expect([...service.log.lines, ...other.log.lines].join()).not.toContain(new URL(database.url).href);
});
