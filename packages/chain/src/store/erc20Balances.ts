import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { positionOf } from "../model/rows.ts";
import { DEPOSIT_TOPIC } from "../model/topics.ts";
import type { HolderChanges } from "./countHolders.ts";
import { readHolderChanges } from "./holderHistory.ts";
import { IndexReadError } from "./indexErrors.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { decodeOrdered, encodeOrdered } from "./orderedInteger.ts";
import { padValues } from "./padValues.ts";
import type { ChainTables } from "./tables.ts";
import { addressTopicBytes, isErc20 } from "./transferConditions.ts";

/** Logs per read of a sum, which the request loop adds up at once, and max reads per sum. */
const LOG_BATCH_SIZE = 5_000;
const MAX_READS = 400;
/** Topic 1 is the receiver of a deposit, and the sender of all other ERC-20 transfers. */
const DEPOSIT_TOPIC_BYTES = toBytes(DEPOSIT_TOPIC);

/** Incoming and outgoing terms of a balance, each with its own database index. */
const BALANCE_TERMS = [
  { party: "topic2", deposit: "<>", sign: 1n },
  { party: "topic1", deposit: "=", sign: 1n },
  { party: "topic1", deposit: "<>", sign: -1n },
] as const;

const ofLogs = expressionBuilder<ChainTables, "logs">();

/** An owner of a token; the balance in its smallest unit. */
export interface Erc20Holder {
  owner: string;
  balance: bigint;
}

/** Balances of ERC-20 tokens, computed from the indexed transfers of one chain. */
export class Erc20Balances {
  readonly #reader: IndexReader;
  readonly #events: IndexReader;

  /** `events` reads transfers, if they are stored elsewhere. */
  constructor(reader: IndexReader, events = reader) {
    this.#reader = reader;
    this.#events = events;
  }

  /** The ERC-20 tokens that an address has ever received. */
  async tokensReceivedBy(address: string, limit: number): Promise<string[]> {
    const { dialect } = this.#events;
    const isReceived = isErc20.and("topic2", "=", addressTopicBytes(address));
    const rows = await this.#events.all(
      query
        .selectFrom(dialect.ordered("logs", isReceived).as("logs"))
        .select("address")
        .distinct()
        .where(isReceived)
        .where(dialect.deadlineCheck)
        .orderBy("address")
        .limit(limit),
      "list",
    );
    return rows.map((row) => toHex(row.address));
  }

  /**
   * The ERC-20 tokens of which an address has a positive balance. Only an index whose events may be removed has a
   * database index for it.
   */
  async tokensHeldBy(address: string, limit: number): Promise<string[]> {
    const rows = await this.#reader.all(
      query
        .selectFrom("erc20_balances")
        .select("token")
        .where("owner", "=", toBytes(address))
        .where("held", "=", sql.lit(1))
        .where(this.#reader.dialect.deadlineCheck)
        .orderBy("token")
        .limit(limit),
      "list",
    );
    return rows.map(({ token }) => toHex(token));
  }

  /** Received minus sent amounts of an address by token, up to a block. */
  async balancesAt(address: string, tokens: string[], toBlock: number): Promise<Map<string, bigint>> {
    const balancesAt = new Map(tokens.map((token) => [token, 0n]));
    const before = ofLogs("position", "<", positionOf(toBlock + 1, 0));
    for (const term of BALANCE_TERMS) {
      const condition = termCondition(term, address).and(before);
      await this.#eachLog(condition, ({ address: token, data }) => {
        const sum = balancesAt.get(toHex(token));
        if (sum !== undefined) balancesAt.set(toHex(token), sum + term.sign * BigInt(toHex(data)));
      });
    }
    return balancesAt;
  }

  /** Total balance of owners: received minus sent amounts. */
  async totalBalance(token: string, owners: string[]): Promise<bigint> {
    const rows = await this.#reader.all(
      query
        .selectFrom("erc20_balances")
        .select("amount")
        .where("token", "=", toBytes(token))
        .where("owner", "in", padValues(owners.map(toBytes))),
    );
    return rows.reduce((sum, { amount }) => sum + decodeOrdered(amount), 0n);
  }

  /** The owners of a token with positive balances, the largest first by default. `after` is the last of a page. */
  async listHolders(
    token: string,
    { after, ascending, limit }: { after?: Erc20Holder | undefined; ascending: boolean; limit: number },
  ): Promise<Erc20Holder[]> {
    const direction = ascending ? "asc" : "desc";
    const held = query
      .selectFrom("erc20_balances")
      .select(["owner", "amount"])
      .where("held", "=", sql.lit(1))
      .where("token", "=", toBytes(token))
      .where(this.#reader.dialect.deadlineCheck);
    const page = after
      ? held.where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple("amount", "owner"),
            ascending ? ">" : "<",
            tuple(encodeOrdered(after.balance), toBytes(after.owner)),
          ),
        )
      : held;
    const rows = await this.#reader.all(
      page.orderBy("amount", direction).orderBy("owner", direction).limit(limit),
      "list",
    );
    return rows.map(({ owner, amount }) => ({ owner: toHex(owner), balance: decodeOrdered(amount) }));
  }

  /** The number of holders of a token, and minted minus burned amounts. */
  async totals(token: string): Promise<{ holders: number; supply: bigint }> {
    const [row] = await this.#reader.all(
      query.selectFrom("erc20_totals").selectAll().where("token", "=", toBytes(token)),
    );
    return row ? { holders: row.holders, supply: decodeOrdered(row.supply) } : { holders: 0, supply: 0n };
  }

  /** See readHolderChanges(). */
  holderChanges(token: string, blocks: readonly number[]): Promise<HolderChanges> {
    return readHolderChanges(this.#reader, this.#events, token, blocks);
  }

  /** Reads logs in batches within the read limits. Rejects with IndexReadError if there are too many. */
  async #eachLog(
    condition: Expression<SqlBool>,
    onLog: (log: Pick<ChainTables["logs"], "address" | "data">) => void,
  ): Promise<void> {
    const { dialect } = this.#events;
    // The data of transfers is the amount.
    const data = sql.ref<Uint8Array>(dialect.isColumnar ? "amount" : "data").as("data");
    let after = -1;
    for (let reads = 0; reads < MAX_READS; reads++) {
      const rows = await this.#events.all(
        query
          .selectFrom(dialect.ordered("logs", condition).as("logs"))
          .select(["position", "address", data])
          .where(condition)
          .where("position", ">", after)
          .where(dialect.deadlineCheck)
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

function termCondition({ party, deposit }: (typeof BALANCE_TERMS)[number], owner: string) {
  return isErc20.and(party, "=", addressTopicBytes(owner)).and("topic0", deposit, DEPOSIT_TOPIC_BYTES);
}
