import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { positionOf } from "../model/rows.ts";
import { DEPOSIT_TOPIC } from "../model/topics.ts";
import { IndexReadError } from "./indexErrors.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { padValues } from "./padValues.ts";
import type { ChainTables } from "./schema.ts";
import { addressTopicBytes, isErc20 } from "./transferConditions.ts";

/** Logs per read of a sum, and max reads per sum. */
const LOG_BATCH_SIZE = 50_000;
const MAX_READS = 40;
/** Topic 1 is the receiver of a deposit, and the sender of all other ERC-20 transfers. */
const DEPOSIT_TOPIC_BYTES = toBytes(DEPOSIT_TOPIC);

/** Incoming and outgoing terms of a balance, each with its own database index. */
const BALANCE_TERMS = [
  { party: "topic2", deposit: "<>", sign: 1n },
  { party: "topic1", deposit: "=", sign: 1n },
  { party: "topic1", deposit: "<>", sign: -1n },
] as const;

const ofLogs = expressionBuilder<ChainTables, "logs">();

/** Balances of ERC-20 tokens, computed from the indexed transfers of one chain. */
export class Erc20Balances {
  readonly #reader: IndexReader;

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** The ERC-20 tokens that an address has ever received. */
  async tokensReceivedBy(address: string, limit: number): Promise<string[]> {
    const rows = await this.#reader.all(
      query
        .selectFrom("logs")
        .select("address")
        .distinct()
        .where(isErc20)
        .where("topic2", "=", addressTopicBytes(address))
        .where(this.#reader.dialect.deadlineCheck)
        .orderBy("address")
        .limit(limit),
      "list",
    );
    return rows.map((row) => toHex(row.address));
  }

  /** Received minus sent amounts of an address by token, up to a block. */
  async balancesAt(address: string, tokens: string[], toBlock: number): Promise<Map<string, bigint>> {
    const balancesAt = new Map(tokens.map((token) => [token, 0n]));
    const before = ofLogs("position", "<", positionOf(toBlock + 1, 0));
    for (const term of BALANCE_TERMS) {
      const condition = termCondition(term, [address]).and(before);
      await this.#eachLog(condition, ({ address: token, data }) => {
        const sum = balancesAt.get(toHex(token));
        if (sum !== undefined) balancesAt.set(toHex(token), sum + term.sign * BigInt(toHex(data)));
      });
    }
    return balancesAt;
  }

  /** Total balance of owners: received minus sent amounts. */
  async totalBalance(token: string, owners: string[]): Promise<bigint> {
    const balancesAt = await Promise.all(
      BALANCE_TERMS.map(async (term) => {
        let sum = 0n;
        const condition = termCondition(term, owners).and("address", "=", toBytes(token));
        await this.#eachLog(condition, ({ data }) => {
          sum += term.sign * BigInt(toHex(data));
        });
        return sum;
      }),
    );
    return balancesAt.reduce((sum, each) => sum + each, 0n);
  }

  /** Reads logs in batches within the read limits. Rejects with IndexReadError if there are too many. */
  async #eachLog(
    condition: Expression<SqlBool>,
    onLog: (log: Pick<ChainTables["logs"], "address" | "data">) => void,
  ): Promise<void> {
    let after = -1;
    for (let reads = 0; reads < MAX_READS; reads++) {
      const rows = await this.#reader.all(
        query
          .selectFrom("logs")
          .select(["position", "address", "data"])
          .where(condition)
          .where("position", ">", after)
          .where(this.#reader.dialect.deadlineCheck)
          .orderBy("position")
          .limit(sql.lit(LOG_BATCH_SIZE)),
        "list",
      );
      for (const row of rows) onLog(row);
      if (rows.length < LOG_BATCH_SIZE) return;
      after = rows.at(-1)?.position ?? after;
    }
    throw new IndexReadError("timeout", `it has more than ${MAX_READS * LOG_BATCH_SIZE} transfers`);
  }
}

function termCondition({ party, deposit }: (typeof BALANCE_TERMS)[number], owners: readonly string[]) {
  return isErc20
    .and(party, "in", padValues(owners.map(addressTopicBytes)))
    .and("topic0", deposit, DEPOSIT_TOPIC_BYTES);
}
