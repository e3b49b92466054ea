import { BroadcastChannel } from "node:worker_threads";
import { INDEXER_MODULE } from "./indexerModule.ts";

/** The indexer worker, which tests can crash from within: `exit` exits immediately, `exhaust` fills its memory. */

export const CRASH_CHANNEL = `purse-test-crash-${process.pid}`;

const channel = new BroadcastChannel(CRASH_CHANNEL);
channel.onmessage = (event) => {
  const command: unknown = Object(event).data;
  if (command === "exit") process.exit(3);
  const memory: number[][] = [];
  for (;;) memory.push(new Array(2_000_000).fill(memory.length + 0.5));
};
channel.unref();
await import(INDEXER_MODULE.href);
