/*
 * Indexes a chain in a process of its own, and prints what it took as JSON; started by backfill.ts:
 *   node bench/src/backfillRun.ts '{"chainId":…,"url":…,"head":…,"database":…}'
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type ChainServiceConfig, createChainService } from "@purse/chain";
import { readCpuTimes } from "./cpuTime.ts";

export interface BackfillOptions {
  chainId: number;
  url: string;
  /** The last block. */
  head: number;
  database: ChainServiceConfig["database"];
}

export interface BackfillResult {
  seconds: number;
  /** Largest resident memory, and its variation in the second half of the time, in MiB. */
  memory: number;
  variation: number;
  /** CPU time in seconds by the name of the thread. */
  threads: Record<string, number>;
}

if (process.argv[2] !== undefined) {
  const result = await index(JSON.parse(process.argv[2]));
  console.log(JSON.stringify(result));
}

async function index({ chainId, url, head, database }: BackfillOptions): Promise<BackfillResult> {
  const log = { debug() {}, info() {}, warn: console.error, error: console.error };
  const chains = [{ id: chainId, name: "busy", aliases: [], rpcUrls: [url] }];
  const service = createChainService({ chains, database, log });
  const samples: number[] = [];
  const timer = setInterval(() => samples.push(process.memoryUsage.rss() / 2 ** 20), 200);
  const before = readCpuTimes(process.pid);
  const startedAt = performance.now();
  await service.start();
  while ((service.status()[0]?.indexed ?? 0) < head) await sleep(20);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = readCpuTimes(process.pid);
  clearInterval(timer);
  await service.stop();
  const half = samples.slice(samples.length >> 1);
  return {
    seconds,
    memory: Math.max(...samples),
    variation: Math.max(...half) - Math.min(...half),
    threads: Object.fromEntries(
      [...after].map(([name, time]) => [name, (time - (before.get(name) ?? 0)) / 1e6]),
    ),
  };
}
