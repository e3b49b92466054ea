import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { fillIndex, transferLog } from "../../test/fillIndex.ts";
import { createDatabase, DATABASES, type DatabaseLocation } from "../../test/indexDatabase.ts";
import { createRecordingLogger } from "../../test/testService.ts";
import { indexLocationOf } from "../createChainService.ts";
import { blockOf, type LogRow, NULL_ADDRESS } from "../model/rows.ts";
import { addressOf, addressTopic, DEPOSIT_TOPIC, TRANSFER_TOPIC, WITHDRAWAL_TOPIC } from "../model/topics.ts";
import { ChainStore } from "./chainStore.ts";
import { HolderCounter } from "./holderCounter.ts";
import { readHolderChanges } from "./holderHistory.ts";
import type { IndexReader } from "./indexReader.ts";
import { POSTGRES } from "./indexReader.ts";
import { openReader } from "./openReader.ts";

const CHAIN = 7_003;
const TOKEN = `0x${"ee".repeat(20)}`;
const BLOCKS = 300;
const PER_BLOCK = 4;
const owner = (n: number) => `0x${(n + 1).toString(16).padStart(40, "c")}`;

/** Mints, burns, transfers, deposits and withdrawals among forty owners, by a rule without a pattern. */
function logOf(block: number, index: number): LogRow {
  const n = block * PER_BLOCK + index;
  const [from, to] = [owner((n * 7) % 40), owner((n * 13 + 5) % 40)];
  const value = (n * 31) % 17;
  const plain = transferLog(block, index, { token: TOKEN, from, to, value });
  if (n % 5 === 0)
    return { ...plain, topics: [TRANSFER_TOPIC, addressTopic(NULL_ADDRESS), addressTopic(to)] };
  if (n % 11 === 0) return { ...plain, topics: [DEPOSIT_TOPIC, addressTopic(to)] };
  if (n % 13 === 0) return { ...plain, topics: [WITHDRAWAL_TOPIC, addressTopic(from)] };
  return plain;
}

/** Replays the transfers up to a block. */
function holdersAt(logs: readonly LogRow[], block: number): number {
  const balances = new Map<string, number>();
  const add = (address: string, amount: number) =>
    balances.set(address, (balances.get(address) ?? 0) + amount);
  for (const { position, topics, data } of logs) {
    if (blockOf(position) > block) break;
    const [topic, first = "", second = ""] = topics;
    if (topic === DEPOSIT_TOPIC) add(addressOf(first), Number(data));
    else add(addressOf(first), -Number(data));
    if (topic === TRANSFER_TOPIC) add(addressOf(second), Number(data));
  }
  balances.delete(NULL_ADDRESS);
  return [...balances.values()].filter((amount) => amount > 0).length;
}

describe.each(DATABASES)("on %s", (name) => {
  let location: DatabaseLocation;
  const logs: LogRow[] = [];

  beforeAll(async () => {
    const database = await createDatabase(name);
    ({ location } = database);
    await fillIndex(location, CHAIN, {
      blocks: BLOCKS,
      addContents(rows, block) {
        for (let i = 0; i < PER_BLOCK; i++) {
          const log = logOf(block, i);
          rows.logs.push(log);
          logs.push(log);
        }
      },
    });
    return database.remove;
  });

  it("holders at past blocks are those of replaying the transfers", async () => {
    const reader = await openReader(indexLocationOf(location, CHAIN));
    const counter = new HolderCounter(createRecordingLogger());
    onTestFinished(async () => {
      await counter.stop();
      await reader.close();
    });
    const blocks = [BLOCKS + 5, BLOCKS - 1, 250, 249, 120, 3, 0, -1];
    const counts = await counter.count(new ChainStore(reader), TOKEN, blocks);
    expect(counts).toEqual(blocks.map((block) => holdersAt(logs, block)));
  });
});

it("too many transfers are refused by their number, before any is read", async () => {
  const texts: number[] = [];
  const reader: IndexReader = {
    dialect: POSTGRES,
    async all<Row>() {
      texts.push(1);
      // The type of the only row that the function reads.
      const rows: unknown[] = [{ n: 200_001 }];
      return rows as Row[];
    },
    change: () => Promise.reject(new Error("not expected")),
    close: async () => undefined,
  };
  await expect(readHolderChanges(reader, reader, TOKEN, [9, 3])).rejects.toMatchObject({
    reason: "timeout",
    message: "the range has more than 200000 transfers",
  });
  expect(texts).toHaveLength(1);
});
