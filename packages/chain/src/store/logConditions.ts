import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { toBytes } from "../model/hexBytes.ts";
import { DEPOSIT_TOPIC, TRANSFER_TOPIC, WITHDRAWAL_TOPIC } from "../model/topics.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { type CountKey, logCounts, topicCounts } from "./listCounts.ts";
import type { ChainTables } from "./tables.ts";
import { isErc20 } from "./transferConditions.ts";

/** Topics of a log filter by index; undefined matches any. */
export type TopicFilter = readonly (string | undefined)[];

const TOPIC_COLUMNS = ["topic0", "topic1", "topic2", "topic3"] as const;
/** Conditions without overlap, and the lists that they select if the index contains their lengths. */
interface LogConditions {
  branches: Expression<SqlBool>[];
  counts: CountKey[] | undefined;
}

/** Topics of events that can be ERC-20 transfers. */
const ERC20_TOPICS: ReadonlySet<string> = new Set([TRANSFER_TOPIC, DEPOSIT_TOPIC, WITHDRAWAL_TOPIC]);

const ofLogs = expressionBuilder<ChainTables, "logs">();
const isOther = ofLogs("erc20", "=", ofLogs.lit(0));

/**
 * Conditions without overlap for the logs of a contract. Each finds its rows by the database index of the most
 * specific topic, so that topics which never occur are found missing without reading logs. `state` reads the tokens.
 */
export async function logConditions(
  reader: IndexReader,
  state: IndexReader,
  address: string,
  topics: TopicFilter,
): Promise<LogConditions> {
  const ofContract = ofLogs("address", "=", toBytes(address));
  const lastIndex = TOPIC_COLUMNS.findLastIndex((_, i) => topics[i] !== undefined);
  if (lastIndex < 0) return { branches: [ofContract], counts: logCounts(address) };
  const { filterOnly, literal, isColumnar } = reader.dialect;
  const conditions = TOPIC_COLUMNS.flatMap((column, i) => {
    const topic = topics[i];
    if (topic === undefined) return [];
    return [i === lastIndex ? ofLogs(column, "=", toBytes(topic)) : filterOnly(column, toBytes(topic))];
  });
  const others = ofLogs.and([ofContract, isOther, ...conditions]);
  const [topic0, , , topic3] = topics;
  if (isColumnar)
    return { branches: columnarBranches(others, ofContract, conditions, topics), counts: undefined };
  // ERC-20 transfers have at most two indexed arguments.
  const othersOnly = {
    branches: [others],
    counts: lastIndex === 0 && topic0 !== undefined ? topicCounts(address, topic0, false) : undefined,
  };
  if (topic3 !== undefined || (topic0 !== undefined && !ERC20_TOPICS.has(topic0))) return othersOnly;
  const isWrapped = sql<SqlBool>`topic0 <> ${literal(TRANSFER_TOPIC)}`;
  const { hasTransfers, hasWrapped } = await findTransferKinds(reader, state, address, isWrapped);
  if (!hasTransfers) return othersOnly;
  if (lastIndex > 0) {
    // Of the topics, only those of the parties are in the database index; nearly all tokens have only one topic 0.
    const parties = conditions.slice(topic0 === undefined ? 0 : 1);
    const ofToken = filterOnly("address", toBytes(address));
    const transfers = [ofToken, isErc20, ...(needsTopic(topic0, hasWrapped) ? conditions : parties)];
    return { branches: [others, ofLogs.and(transfers)], counts: undefined };
  }
  if (topic0 === TRANSFER_TOPIC) {
    const transfers = ofLogs.and([ofContract, isErc20, ...(hasWrapped ? conditions : [])]);
    const counts = hasWrapped ? undefined : topicCounts(address, topic0, true);
    return { branches: [others, transfers], counts };
  }
  if (!hasWrapped) return othersOnly;
  const wrapped = ofLogs.and([ofContract, isErc20, isWrapped, ...conditions]);
  return { branches: [others, wrapped], counts: undefined };
}

/**
 * The same for a columnar database: its copies in the order of the first topic contain the ERC-20 transfers of a contract
 * as well, and those in the orders of other topics have all columns of the condition.
 */
function columnarBranches(
  others: Expression<SqlBool>,
  ofContract: Expression<SqlBool>,
  conditions: readonly Expression<SqlBool>[],
  [, topic1, topic2, topic3]: TopicFilter,
): Expression<SqlBool>[] {
  if (topic3 !== undefined) return [others];
  if (topic1 === undefined && topic2 === undefined) return [ofLogs.and([ofContract, ...conditions])];
  return [others, ofLogs.and([ofContract, isErc20, ...conditions])];
}

/** Whether the ERC-20 transfers of a contract can have another topic 0 than the requested one. */
function needsTopic(topic0: string | undefined, hasWrapped: boolean): boolean {
  return topic0 !== undefined && (hasWrapped || topic0 !== TRANSFER_TOPIC);
}

/** Whether a contract has logged token transfers, and deposits or withdrawals that count as ERC-20 transfers. */
async function findTransferKinds(
  reader: IndexReader,
  state: IndexReader,
  address: string,
  isWrapped: Expression<SqlBool>,
): Promise<{ hasTransfers: boolean; hasWrapped: boolean }> {
  const bytes = toBytes(address);
  const one = sql.lit(1).as("one");
  const token = query
    .selectFrom("tokens")
    .select(one)
    .where("address", "=", bytes)
    .where("position", "is not", null)
    .limit(1);
  const wrapped = query
    .selectFrom("logs")
    .select(one)
    .where("address", "=", bytes)
    .where(isErc20)
    .where(isWrapped)
    .limit(1);
  const [tokens, logs] = await Promise.all([state.all(token), reader.all(wrapped)]);
  return { hasTransfers: tokens.length > 0, hasWrapped: logs.length > 0 };
}
