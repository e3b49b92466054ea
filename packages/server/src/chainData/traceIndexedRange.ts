import type { IndexedRange } from "@purse/chain";
import { currentTracer } from "../core/tracing/tracing.ts";

/** Records the trace of a range of blocks. The indexer runs in a thread of its own, which reports its times. */
export function recordRange(range: IndexedRange): void {
  const { startedAt, fetchedAt, decodedAt, writeStartedAt, writtenAt } = range;
  currentTracer()?.record({
    name: "index blocks",
    startedAt,
    endedAt: writtenAt,
    attributes: {
      "purse.chain.id": range.chainId,
      "purse.chain.from_block": range.from,
      "purse.chain.to_block": range.to,
      "purse.chain.logs": range.logs,
    },
    children: [
      { name: "fetch", startedAt, endedAt: fetchedAt },
      { name: "decode", startedAt: fetchedAt, endedAt: decodedAt },
      { name: "write", startedAt: writeStartedAt, endedAt: writtenAt },
    ],
  });
}
