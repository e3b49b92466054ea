import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { fileURLToPath } from "node:url";
import type { JsonValue } from "@purse/protocol";
import type { ChainConfig } from "../src/model/chainConfig.ts";
import type { ChainStatus } from "../src/model/chainStatus.ts";
import { type DatabaseLocation, dumpIndex } from "./indexDatabase.ts";
import type { TestChain } from "./testChain.ts";
import { startService } from "./testService.ts";

/** Random histories for tests: what happens to a chain and to a process that indexes it, determined by a seed. */

/** Random numbers from 0 up to, but excluding, 1; deterministic for a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface History {
  seed: number;
  /** Number of events between start and end. */
  events: number;
}

/** A process that indexes a chain and can be killed at any time. */
export interface IndexerProcess {
  /** The last reported status. */
  status(): ChainStatus | undefined;
  /** Resolves when it reports another status. */
  nextStatus(): Promise<unknown>;
  /** Kills it immediately (SIGKILL). */
  kill(): Promise<void>;
}

export function startIndexerProcess(
  { chainId: id, url }: Pick<TestChain, "chainId" | "url">,
  location: DatabaseLocation,
  settings: Partial<ChainConfig> = {},
): IndexerProcess {
  // Bundled, it starts in a third of the time of its sources; the global setup of the tests builds it.
  const script = fileURLToPath(new URL("../../../.cache/test-host/indexerProcess.js", import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [script], {
    env: { ...process.env, CHAIN: JSON.stringify({ chain: { id, rpcUrls: [url], ...settings }, location }) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const reports = new EventEmitter();
  let latest: ChainStatus | undefined;
  let partialLine = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    const lines = (partialLine + chunk.toString("utf8")).split("\n");
    partialLine = lines.pop() ?? "";
    for (const line of lines) latest = JSON.parse(line);
    reports.emit("status");
  });
  return {
    status: () => latest,
    nextStatus: () => once(reports, "status"),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/**
 * Runs a random history: transfers, empty blocks, reorganizations of 1 to 64 blocks, kills during writes, restarts.
 * Resolves when the process has reached the head.
 */
export async function runHistory(
  { seed, events }: History,
  chain: TestChain,
  location: DatabaseLocation,
): Promise<string[]> {
  const random = seededRandom(seed);
  const randomUpTo = (max: number) => 1 + Math.floor(random() * max);
  const steps: string[] = [];
  // Setup blocks are not reorganized.
  const firstBlock = await chain.head();
  let indexer = startIndexerProcess(chain, location);
  try {
    for (let i = 0; i < events; i++) {
      const choice = random();
      if (choice < 0.15) {
        const from = randomUpTo(5) - 1;
        steps.push(`transfer from ${from}`);
        await chain.transfer(from, chain.account(randomUpTo(9)), BigInt(randomUpTo(1_000)));
      } else if (choice < 0.25) {
        steps.push("a piece");
        await chain.mintNft(chain.account(randomUpTo(9)));
      } else if (choice < 0.35) {
        steps.push("items");
        await chain.transferItems(chain.account(randomUpTo(9)), [1n, 2n], [BigInt(randomUpTo(3)), 1n]);
      } else if (choice < 0.5) {
        const blocks = randomUpTo(30);
        steps.push(`${blocks} blocks`);
        await chain.mine(blocks);
      } else if (choice < 0.8) {
        const depth = Math.min(randomUpTo(64), (await chain.head()) - firstBlock);
        steps.push(`reorganization of ${depth}`);
        if (depth > 0) await chain.reorganize(depth);
      } else {
        steps.push("kill");
        await indexer.kill();
        indexer = startIndexerProcess(chain, location);
      }
      const pause = random();
      if (pause < 0.3) await waitForHead(indexer, chain);
      // It has just begun to index, if it was killed.
      else if (pause < 0.6) await waitUntil(() => indexer.status() !== undefined, indexer);
    }
    await waitForHead(indexer, chain);
  } finally {
    await indexer.kill();
  }
  return steps;
}

/** Builds an index of the current chain in one go. */
export async function rebuild(
  chain: TestChain,
  location: DatabaseLocation,
  settings: Partial<ChainConfig> = {},
): Promise<void> {
  const service = await startService({ id: chain.chainId, rpcUrls: [chain.url], ...settings }, location);
  try {
    const head = await chain.head();
    await service.waitFor(({ state, indexed }) => state === "following" && indexed === head, 60_000);
  } finally {
    await service.stop();
  }
}

async function waitForHead(indexer: IndexerProcess, chain: TestChain): Promise<void> {
  // A block that no earlier status can be about, because reorganizations do not make the chain shorter.
  await chain.mine(1);
  const head = await chain.head();
  await waitUntil(() => {
    const status = indexer.status();
    return status?.state === "following" && status.indexed === head;
  }, indexer);
}

async function waitUntil(condition: () => boolean, indexer: IndexerProcess): Promise<void> {
  while (!condition()) await indexer.nextStatus();
}

/** Dumps several indexes for comparison. */
export async function dumpIndexes(
  chain: TestChain,
  locations: DatabaseLocation[],
): Promise<Record<string, JsonValue>[]> {
  return Promise.all(locations.map((location) => dumpIndex(location, chain.chainId)));
}
