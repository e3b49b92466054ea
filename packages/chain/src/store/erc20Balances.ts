import { toBytes, toHex } from "../model/hexBytes.ts";
import { positionOf } from "../model/rows.ts";
import { DEPOSIT_TOPIC } from "../model/topics.ts";
import { IndexReadError } from "./indexErrors.ts";
import type { IndexReader, SqlValue } from "./indexReader.ts";
import { padValues, placeholders } from "./placeholders.ts";
import type { LogsTable } from "./schema.ts";

/** Logs per read of a sum, and max reads per sum. */
const LOG_BATCH_SIZE = 50_000;
const MAX_READS = 40;
/** Topic 1 is the receiver of a deposit, and the sender of all other ERC-20 transfers. */
const DEPOSIT_TOPIC_BYTES = toBytes(DEPOSIT_TOPIC);

/**
 * Incoming and outgoing terms of a balance, each with its own database index; the second parameter is the deposit
 * topic.
 */
const BALANCE_TERMS = [
  { where: (isParty: string) => `erc20 = 1 AND topic2 ${isParty} AND topic0 <> ?`, sign: 1n },
  { where: (isParty: string) => `erc20 = 1 AND topic1 ${isParty} AND topic0 = ?`, sign: 1n },
  { where: (isParty: string) => `erc20 = 1 AND topic1 ${isParty} AND topic0 <> ?`, sign: -1n },
] as const;

/** Balances of ERC-20 tokens, computed from the indexed transfers of one chain. */
export class Erc20Balances {
  readonly #reader: IndexReader;

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** The ERC-20 tokens that an address has ever received. */
  async tokensReceivedBy(address: string, limit: number): Promise<string[]> {
    const rows = await this.#reader.all<{ address: Uint8Array }>(
      `SELECT DISTINCT address FROM logs WHERE erc20 = 1 AND topic2 = ?${this.#reader.dialect.deadlineCheck} ORDER BY address LIMIT ?`,
      [addressTopicBytes(address), limit],
      "list",
    );
    return rows.map((row) => toHex(row.address));
  }

  /** Received minus sent amounts of an address by token, up to a block. */
  async balancesAt(address: string, tokens: string[], toBlock: number): Promise<Map<string, bigint>> {
    const balancesAt = new Map(tokens.map((token) => [token, 0n]));
    const addressTopic = addressTopicBytes(address);
    const before = positionOf(toBlock + 1, 0);
    for (const { where, sign } of BALANCE_TERMS) {
      const condition = `${where("= ?")} AND position < ?`;
      await this.#eachLog(
        condition,
        [addressTopic, DEPOSIT_TOPIC_BYTES, before],
        ({ address: token, data }) => {
          const sum = balancesAt.get(toHex(token));
          if (sum !== undefined) balancesAt.set(toHex(token), sum + sign * BigInt(toHex(data)));
        },
      );
    }
    return balancesAt;
  }

  /** Total balance of owners: received minus sent amounts. */
  async totalBalance(token: string, owners: string[]): Promise<bigint> {
    const tokenBytes = toBytes(token);
    const topics = padValues(owners.map(addressTopicBytes));
    const balancesAt = await Promise.all(
      BALANCE_TERMS.map(async ({ where, sign }) => {
        let sum = 0n;
        const condition = `${where(`IN (${placeholders(owners.length)})`)} AND address = ?`;
        await this.#eachLog(condition, [...topics, DEPOSIT_TOPIC_BYTES, tokenBytes], ({ data }) => {
          sum += sign * BigInt(toHex(data));
        });
        return sum;
      }),
    );
    return balancesAt.reduce((sum, each) => sum + each, 0n);
  }

  /** Reads logs in batches within the read limits. Rejects with IndexReadError if there are too many. */
  async #eachLog(
    where: string,
    values: readonly SqlValue[],
    onLog: (log: Pick<LogsTable, "address" | "data">) => void,
  ): Promise<void> {
    const text = `SELECT position, address, data FROM logs WHERE ${where} AND position > ?${this.#reader.dialect.deadlineCheck}
      ORDER BY position LIMIT ${LOG_BATCH_SIZE}`;
    let after = -1;
    for (let reads = 0; reads < MAX_READS; reads++) {
      const rows = await this.#reader.all<Pick<LogsTable, "position" | "address" | "data">>(
        text,
        [...values, after],
        "list",
      );
      for (const row of rows) onLog(row);
      if (rows.length < LOG_BATCH_SIZE) return;
      after = rows.at(-1)?.position ?? after;
    }
    throw new IndexReadError("timeout", `it has more than ${MAX_READS * LOG_BATCH_SIZE} transfers`);
  }
}

/** An address as topic bytes. */
export function addressTopicBytes(address: string): Buffer {
  return Buffer.concat([Buffer.alloc(12), toBytes(address)]);
}
