import { afterEach, expect, it } from "vitest";
import { sessionOf } from "../../../test/postgresDatabase.ts";
import { createLogger } from "../../core/logger.ts";
import { ChangeRelay, type ChangeRelayOptions } from "./changeRelay.ts";
import { type DecodedStreamOptions, SilentServerError } from "./decodedStream.ts";
import type { DecodedTransaction } from "./decodedTransactions.ts";
import { ExclusivePool } from "./pools.ts";

const STORED = 100n;

/** A stream that the test drives; `end` ends it with a reason. */
interface FakeStream {
  options: DecodedStreamOptions;
  calls: string[];
  end(reason: Error): void;
}

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Starts a relay on streams of the test. `run` is called for each statement that adds to the log. */
function startRelay(run: () => Promise<void> = async () => undefined) {
  const streams: FakeStream[] = [];
  const options: ChangeRelayOptions = {
    url: "",
    leases: { acquire: async () => 1, release: async () => undefined },
    logger: createLogger({ level: "silent", format: "text", write: () => undefined }),
    onAppended: () => undefined,
    sql: {
      async run() {
        await run();
        return [["1"]];
      },
    },
    // Only the preparation uses them.
    maintenancePool: new ExclusivePool({ ...sessionOf(""), deadlineMs: 1_000 }, 1),
    withSchemaLock: () => Promise.reject(new Error("there is no database")),
    retryMs: 1,
    source: {
      prepareSlot: async () => ({ name: "purse_1_2", stored: STORED }),
      openStream(streamOptions) {
        const ended = Promise.withResolvers<void>();
        const calls: string[] = [];
        streams.push({ options: streamOptions, calls, end: ended.reject });
        return {
          read: () => ended.promise,
          acknowledge: (stored) => calls.push(`acknowledge ${stored}`),
          pause: () => calls.push("pause"),
          resume: () => calls.push("resume"),
          stop: (reason = new Error("stopped")) => ended.reject(reason),
        };
      },
    },
  };
  const relay = new ChangeRelay(options);
  relay.start();
  ends.push(() => relay.close());
  /** Returns a stream as soon as it is open. */
  async function stream(index: number): Promise<FakeStream> {
    await expect.poll(() => streams.length).toBeGreaterThan(index);
    const found = streams[index];
    if (!found) throw new Error("the stream is not open");
    return found;
  }
  return { streams, stream };
}

function transaction(lsn: bigint, size = 0): DecodedTransaction {
  return { lsn, at: 0, changes: [], size, isTooLarge: false };
}

it("a silent server gets more time after each attempt, until one has sent a transaction that was not stored", async () => {
  const { streams, stream } = startRelay();
  for (let i = 0; i < 3; i++) {
    const { options, end } = await stream(i);
    // As the server does each time before a transaction that takes long to decode.
    options.onTransaction(transaction(STORED));
    end(new SilentServerError("the server is silent"));
  }
  const { options, end } = await stream(3);
  options.onTransaction(transaction(STORED + 1n));
  end(new Error("the connection was lost"));
  await stream(4);
  expect(streams.map((each) => each.options.silenceTimeoutMs)).toEqual([
    5_000, 10_000, 20_000, 40_000, 5_000,
  ]);
});

it("a server waits while too many changes are not added to the log", async () => {
  const adding = Promise.withResolvers<void>();
  const { stream } = startRelay(() => adding.promise);
  const { options, calls } = await stream(0);
  options.onTransaction(transaction(101n, 10_000_000));
  options.onTransaction(transaction(102n, 10_000_000));
  expect(calls).toEqual([]);
  options.onTransaction(transaction(103n, 10_000_000));
  expect(calls).toEqual(["pause"]);
  adding.resolve();
  await expect
    .poll(() => calls)
    .toEqual(["pause", "acknowledge 101", "acknowledge 102", "acknowledge 103", "resume"]);
});
