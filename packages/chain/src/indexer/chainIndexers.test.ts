import { expect, it } from "vitest";
import { createRecordingLogger } from "../../test/testService.ts";
import type { ChainStatus } from "../model/chainStatus.ts";
import { IndexDatabaseError } from "../store/indexErrors.ts";
import { ChainIndexers, type ChainIndexersOptions } from "./chainIndexers.ts";
import type { RunningIndexer } from "./startIndexing.ts";
import type { LocatedChain } from "./workerMessages.ts";

const chain = (id: number, url?: string): LocatedChain => ({
  config: {
    id,
    name: `chain ${id}`,
    aliases: [],
    rpcUrls: [],
    ...(url !== undefined && { database: { url, connections: 1 } }),
  },
  location: { kind: "sqlite", path: "" },
});

function runningIndexer(stop: () => Promise<void> = async () => undefined): RunningIndexer {
  const nothing = async () => undefined;
  return { watch: nothing, saveTokenMetadata: nothing, refreshMetadata: nothing, stop };
}

function indexersWith(
  startIndexer: ChainIndexersOptions["startIndexer"],
  { maxWaitMs = 60_000, isRestart = false } = {},
) {
  const statuses: ChainStatus[] = [];
  const log = createRecordingLogger();
  const onStatus = (status: ChainStatus) => statuses.push(status);
  return {
    indexers: new ChainIndexers({ startIndexer, onStatus, log, isRestart, maxWaitMs, retryMs: 1 }),
    statuses,
    log,
  };
}

it("start() rejects if the index in the database of all chains cannot be opened", async () => {
  const { indexers } = indexersWith(() => Promise.reject(new Error("no database")));
  await expect(indexers.start(chain(1))).rejects.toThrow("no database");
});

it("start() waits for the database of all chains if the server runs already, and rejects for other reasons", async () => {
  let isAvailable = false;
  const indexer = runningIndexer();
  const start: ChainIndexersOptions["startIndexer"] = async ({ config }) => {
    if (config.id === 2) throw new Error("the index is broken");
    if (!isAvailable) throw new IndexDatabaseError(new Error("connect ECONNREFUSED 10.0.0.7:5432"));
    return indexer;
  };
  await expect(indexersWith(start).indexers.start(chain(1))).rejects.toThrow("is not available");
  const { indexers, statuses } = indexersWith(start, { isRestart: true });
  await indexers.start(chain(1));
  expect(statuses[0]).toMatchObject({ chain: 1, state: "unreachable", isDatabaseUnavailable: true });
  await expect(indexers.start(chain(2))).rejects.toThrow("the index is broken");
  isAvailable = true;
  expect(await indexers.get(1)).toBe(indexer);
});

it("start() resolves while the own database of a chain is unavailable, and opens the index as soon as it can be", async () => {
  let isAvailable = false;
  const indexer = runningIndexer();
  const { indexers, statuses, log } = indexersWith(async () => {
    if (!isAvailable) throw new Error("connect ECONNREFUSED 10.0.0.7:5432");
    return indexer;
  });
  await indexers.start(chain(1, "postgres://user:secret@10.0.0.7/index"));
  expect(statuses[0]).toMatchObject({
    chain: 1,
    state: "unreachable",
    isDatabaseUnavailable: true,
    error: "the database of the index is not available",
  });
  isAvailable = true;
  expect(await indexers.get(1)).toBe(indexer);
  expect(log.lines.filter((line) => line.includes("ECONNREFUSED"))).toHaveLength(1);
  expect(log.lines.join()).not.toContain("secret");
});

it("start() does not wait for an own database that does not respond", async () => {
  const { indexers } = indexersWith(() => Promise.withResolvers<RunningIndexer>().promise, { maxWaitMs: 1 });
  await indexers.start(chain(1, "postgres://10.0.0.7/index"));
  await indexers.stop();
});

it("stop() stops all indexers although one of them fails, and ends attempts to open others", async () => {
  let stopped = 0;
  const { indexers, log } = indexersWith(async ({ config }) => {
    if (config.id === 1) throw new Error("unavailable");
    return runningIndexer(async () => {
      stopped += 1;
      if (config.id === 2) throw new Error("it is stuck");
    });
  });
  for (const each of [chain(1, "postgres://10.0.0.7/index"), chain(2), chain(3)]) await indexers.start(each);
  await indexers.stop();
  expect(stopped).toBe(2);
  expect(log.lines.join()).toContain("it is stuck");
  await expect(indexers.get(1)).rejects.toThrow();
});
