import { toBytes, toHex } from "../model/hexBytes.ts";
import { positionOf } from "../model/rows.ts";
import { DEPOSIT_TOPIC } from "../model/topics.ts";
import { IndexReadError } from "./indexErrors.ts";
import type { IndexReader, SqlValue } from "./indexReader.ts";
import { marks, padded } from "./placeholders.ts";
import type { LogsTable } from "./schema.ts";

/** Logs that are read at once to be added up, and how often that may be for one sum. */
const LOGS_AT_ONCE = 50_000;
const MAX_READS = 40;
/** Topic 1 is the receiver of a deposit, and the giver of all else that counts as an ERC-20 transfer. */
const DEPOSIT = toBytes(DEPOSIT_TOPIC);

/** What comes in and what goes out, by the index of each side; the second parameter is the topic of deposits. */
const ERC20_SIDES = [
  { where: (isOwn: string) => `erc20 = 1 AND topic2 ${isOwn} AND topic0 <> ?`, sign: 1n },
  { where: (isOwn: string) => `erc20 = 1 AND topic1 ${isOwn} AND topic0 = ?`, sign: 1n },
  { where: (isOwn: string) => `erc20 = 1 AND topic1 ${isOwn} AND topic0 <> ?`, sign: -1n },
] as const;

/** Who holds how much of ERC-20 tokens, by the transfers in the index of one chain. */
export class Erc20Holdings {
  readonly #reader: IndexReader;

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** The ERC-20 tokens that an address has ever received, by the index. */
  async tokensReceivedBy(address: string, limit: number): Promise<string[]> {
    const rows = await this.#reader.all<{ address: Uint8Array }>(
      `SELECT DISTINCT address FROM logs WHERE erc20 = 1 AND topic2 = ?${this.#reader.dialect.visits} ORDER BY address LIMIT ?`,
      [topicBytes(address), limit],
      "list",
    );
    return rows.map((row) => toHex(row.address));
  }

  /** What an address got of tokens less what it gave, up to a block. */
  async sums(address: string, tokens: string[], toBlock: number): Promise<Map<string, bigint>> {
    const sums = new Map(tokens.map((token) => [token, 0n]));
    const own = topicBytes(address);
    const before = positionOf(toBlock + 1, 0);
    for (const { where, sign } of ERC20_SIDES) {
      const condition = `${where("= ?")} AND position < ?`;
      await this.#eachLog(condition, [own, DEPOSIT, before], ({ address: token, data }) => {
        const sum = sums.get(toHex(token));
        if (sum !== undefined) sums.set(toHex(token), sum + sign * BigInt(toHex(data)));
      });
    }
    return sums;
  }

  /** What owners hold of one ERC-20 token together: what they got less what they gave, by the index. */
  async held(token: string, owners: string[]): Promise<bigint> {
    const own = toBytes(token);
    const sides = padded(owners.map(topicBytes));
    const sums = await Promise.all(
      ERC20_SIDES.map(async ({ where, sign }) => {
        let sum = 0n;
        const condition = `${where(`IN (${marks(owners.length)})`)} AND address = ?`;
        await this.#eachLog(condition, [...sides, DEPOSIT, own], ({ data }) => {
          sum += sign * BigInt(toHex(data));
        });
        return sum;
      }),
    );
    return sums.reduce((sum, each) => sum + each, 0n);
  }

  /** Reads logs some at a time, each read within its bounds. Rejects with IndexReadError where they are too many. */
  async #eachLog(
    where: string,
    values: readonly SqlValue[],
    take: (log: Pick<LogsTable, "address" | "data">) => void,
  ): Promise<void> {
    const text = `SELECT position, address, data FROM logs WHERE ${where} AND position > ?${this.#reader.dialect.visits}
      ORDER BY position LIMIT ${LOGS_AT_ONCE}`;
    let after = -1;
    for (let reads = 0; reads < MAX_READS; reads++) {
      const rows = await this.#reader.all<Pick<LogsTable, "position" | "address" | "data">>(
        text,
        [...values, after],
        "list",
      );
      for (const row of rows) take(row);
      if (rows.length < LOGS_AT_ONCE) return;
      after = rows.at(-1)?.position ?? after;
    }
    throw new IndexReadError("late", `it has more than ${MAX_READS * LOGS_AT_ONCE} transfers to add up`);
  }
}

/** An address as a topic. */
export function topicBytes(address: string): Buffer {
  return Buffer.concat([Buffer.alloc(12), toBytes(address)]);
}
