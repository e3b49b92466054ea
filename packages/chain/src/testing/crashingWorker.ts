import { BroadcastChannel } from "node:worker_threads";

/** The indexer's thread, which tests can end from within: `exit` ends it at once, `exhaust` by filling its memory. */

export const CRASH_CHANNEL = `purse-test-crash-${process.pid}`;

const channel = new BroadcastChannel(CRASH_CHANNEL);
channel.onmessage = (event) => {
  const wanted: unknown = Object(event).data;
  if (wanted === "exit") process.exit(3);
  const kept: number[][] = [];
  for (;;) kept.push(new Array(2_000_000).fill(kept.length + 0.5));
};
channel.unref();
await import("../indexer/worker.ts");
