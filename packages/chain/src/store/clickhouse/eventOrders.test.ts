import { expressionBuilder, type SqlBool, sql } from "kysely";
import { describe, expect, it } from "vitest";
import { toBytes } from "../../model/hexBytes.ts";
import { TRANSFER_TOPIC } from "../../model/topics.ts";
import { blockBounds } from "../listQuery.ts";
import type { ChainTables } from "../tables.ts";
import { isSaleOf } from "../trades.ts";
import {
  addressTopicBytes,
  erc20TokenCondition,
  erc20WalletConditions,
  nftConditions,
  partyConditions,
  transactionConditions,
} from "../transferConditions.ts";
import { ClickHouseCompiler } from "./clickhouseCompiler.ts";
import { CLICKHOUSE } from "./clickhouseDialect.ts";
import { findOrder } from "./eventOrders.ts";

const ADDRESS = `0x${"a1".repeat(20)}`;
const TOKEN_ID = `0x${"1".padStart(64, "0")}`;
const ofLogs = expressionBuilder<ChainTables, "logs">();
const ofContract = ofLogs("address", "=", toBytes(ADDRESS));
const isOther = ofLogs("erc20", "=", ofLogs.lit(0));
const topic0 = ofLogs("topic0", "=", toBytes(TRANSFER_TOPIC));
const byOwner = ofLogs("topic1", "=", addressTopicBytes(ADDRESS));
const compiler = new ClickHouseCompiler();
const orders = (
  table: Parameters<typeof findOrder>[1],
  conditions: readonly Parameters<typeof findOrder>[2][],
) => conditions.map((condition) => findOrder(compiler, table, condition));

describe("the order in which the rows of a list are read", () => {
  it("is the one of the column that each branch of a list compares", () => {
    expect(orders("logs", erc20WalletConditions(ADDRESS))).toEqual(["logs_by_topic1", "logs_by_topic2"]);
    expect(orders("logs", [erc20TokenCondition(ADDRESS), ofContract])).toEqual([
      "logs_by_address",
      "logs_by_address",
    ]);
    expect(orders("transactions", transactionConditions(ADDRESS))).toEqual([
      "transactions_by_from",
      "transactions_by_to",
      "transactions_by_contract",
    ]);
    for (const table of ["nft_transfers", "internal_transfers"] as const)
      expect(orders(table, partyConditions(ADDRESS))).toEqual([`${table}_by_from`, `${table}_by_to`]);
    expect(orders("nft_transfers", nftConditions({ token: ADDRESS }))).toEqual(["nft_transfers_by_token"]);
    expect(orders("nft_transfers", nftConditions({ token: ADDRESS, tokenId: TOKEN_ID }))).toEqual([
      "nft_transfers_by_item",
    ]);
    const sales = isSaleOf(CLICKHOUSE, ADDRESS, [{ name: "opensea", address: ADDRESS }]);
    expect(orders("trades", [sales])).toEqual(["trades_by_token"]);
  });

  it("is the one with the most columns that are all compared", () => {
    expect(orders("logs", [ofContract.and(topic0)])).toEqual(["logs_by_topic0"]);
    expect(orders("logs", [ofLogs.and([ofContract, isOther, topic0])])).toEqual(["logs_by_topic0"]);
    expect(orders("logs", [ofLogs.and([ofContract, isOther, byOwner])])).toEqual(["logs_by_topic1"]);
    expect(orders("logs", [ofLogs.and([CLICKHOUSE.isApproval, byOwner])])).toEqual(["logs_by_topic1"]);
    const byTopic3 = ofLogs("topic3", "=", addressTopicBytes(ADDRESS));
    const filtered = CLICKHOUSE.filterOnly("topic1", addressTopicBytes(ADDRESS));
    expect(orders("logs", [ofLogs.and([ofContract, isOther, filtered, byTopic3])])).toEqual([
      "logs_by_topic3",
    ]);
  });

  it("stays the same within blocks", () => {
    const bounds = blockBounds({ fromBlock: 3, toBlock: 9 });
    expect(orders("logs", [ofLogs.and([ofContract, ...bounds])])).toEqual(["logs_by_address"]);
  });

  it("is the one of positions if no other has all columns of the condition", () => {
    const index = ofLogs("transaction_index", "<", 3);
    expect(orders("logs", [ofLogs.and([byOwner, index]), ofLogs.and(blockBounds({ fromBlock: 3 }))])).toEqual(
      ["logs", "logs"],
    );
  });

  it("is not found by alternatives, or by conditions that are only filters", () => {
    const either = ofLogs.or([byOwner, ofLogs("topic1", "=", addressTopicBytes(`0x${"b2".repeat(20)}`))]);
    const filter = sql<SqlBool>`topic1 = ${addressTopicBytes(ADDRESS)}`;
    expect(orders("logs", [either, filter])).toEqual(["logs", "logs"]);
  });
});
