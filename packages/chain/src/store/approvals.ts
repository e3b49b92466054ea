import { expressionBuilder, sql } from "kysely";
import { toBytes, toHex, toHexOrNull } from "../model/hexBytes.ts";
import type { RawLog } from "../model/rows.ts";
import { APPROVAL_FOR_ALL_TOPIC } from "../model/topics.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { rowsAt } from "./listQuery.ts";
import { padValues } from "./padValues.ts";
import { indexedLog } from "./tableRows.ts";
import type { ChainTables } from "./tables.ts";
import { addressTopicBytes } from "./transferConditions.ts";

/** The last approval that an owner gave to a spender for a token, regardless of its amount. */
export interface ApprovalKey {
  /** amount: an ERC-20 allowance; token: one NFT; all: all NFTs of a collection. */
  kind: "amount" | "token" | "all";
  token: string;
  spender: string;
  /** 32 bytes; null except for one NFT. */
  tokenId: string | null;
  /** Position of the log. */
  position: number;
}

const ofLogs = expressionBuilder<ChainTables, "logs">();

/** The approvals in the index of one chain. */
export class Approvals {
  readonly #reader: IndexReader;

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** The approvals of an owner that have ever been logged, latest first. They can have been used or revoked since. */
  async ofOwner(owner: string, tokens: readonly string[] | undefined, limit: number): Promise<ApprovalKey[]> {
    const { dialect } = this.#reader;
    const selected = ofLogs.and([
      dialect.isApproval,
      ofLogs("topic1", "=", addressTopicBytes(owner)),
      ...(tokens ? [ofLogs("address", "in", padValues(tokens.map(toBytes)))] : []),
      dialect.deadlineCheck,
    ]);
    const positions = query
      .selectFrom(dialect.ordered("logs", selected).as("logs"))
      .select("position")
      .where(selected);
    const rows = await this.#reader.all(
      query
        .selectFrom("logs")
        .select(["address", "topic0", "topic2", "topic3"])
        .select((eb) => eb.fn.max<number>("position").as("last"))
        // A columnar database has only the columns of the condition in the order of owners.
        .where(dialect.isColumnar ? ofLogs("position", "in", positions) : selected)
        .groupBy(["address", "topic0", "topic2", "topic3"])
        .orderBy(sql`max(position)`, "desc")
        .limit(limit),
      "list",
    );
    return rows.flatMap(({ address, topic0, topic2, topic3, last }) => {
      if (!topic0 || !topic2) return [];
      const tokenId = toHexOrNull(topic3);
      const isForAll = toHex(topic0) === APPROVAL_FOR_ALL_TOPIC;
      return [
        {
          kind: isForAll ? "all" : tokenId === null ? "amount" : "token",
          token: toHex(address),
          spender: `0x${toHex(topic2).slice(26)}`,
          tokenId: isForAll ? null : tokenId,
          position: last,
        } as const,
      ];
    });
  }

  /** Logs by position. */
  async logsAt(positions: readonly number[]): Promise<Map<number, RawLog>> {
    const rows = await rowsAt(this.#reader, "logs", positions);
    return new Map([...rows].map(([position, row]) => [position, indexedLog(row)]));
  }
}
