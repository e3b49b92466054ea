import { isJsonObject, type JsonValue } from "@purse/protocol";
import { MAX_INDEX, positionOf, type RawLog } from "../model/rows.ts";
import { parseAddress, parseBytes, parseHash, parseQuantity } from "./quantities.ts";
import { InvalidNodeDataError } from "./rpcErrors.ts";

export interface LogFilter {
  address?: string;
  /** As in eth_getLogs: null matches any topic, a list any of its items. */
  topics?: (string | string[] | null)[];
}

export type NodeLog = RawLog & { blockHash: string };

/** Parses the response of eth_getLogs. Throws InvalidNodeDataError for logs that do not match the request. */
export function parseLogs(value: JsonValue, from: number, to: number, filter: LogFilter): NodeLog[] {
  if (!Array.isArray(value)) throw new InvalidNodeDataError("the logs are not a list");
  const logs = value.map((each) => {
    const log = parseLog(each);
    const block = parseQuantity(isJsonObject(each) ? each.blockNumber : undefined);
    if (block < from || block > to)
      throw new InvalidNodeDataError(`requested logs of ${from}–${to} but received one of ${block}`);
    if (!matchesFilter(log, filter))
      throw new InvalidNodeDataError(`received a log of block ${block} that does not match the filter`);
    return log;
  });
  return logs.sort((a, b) => a.position - b.position);
}

function parseLog(value: JsonValue): NodeLog {
  if (!isJsonObject(value) || !Array.isArray(value.topics))
    throw new InvalidNodeDataError("a log is not an object");
  const index = parseQuantity(value.logIndex);
  if (index > MAX_INDEX) throw new InvalidNodeDataError("a block has too many logs");
  return {
    position: positionOf(parseQuantity(value.blockNumber), index),
    blockHash: parseHash(value.blockHash),
    transactionIndex: parseQuantity(value.transactionIndex),
    transactionHash: parseHash(value.transactionHash),
    address: parseAddress(value.address),
    topics: value.topics.map(parseHash),
    data: parseBytes(value.data),
  };
}

function matchesFilter(log: NodeLog, { address: filterAddress, topics }: LogFilter): boolean {
  if (filterAddress !== undefined && log.address !== filterAddress) return false;
  return (topics ?? []).every((topic, i) => {
    if (topic === null) return true;
    const logTopic = log.topics[i] ?? "";
    return Array.isArray(topic) ? topic.includes(logTopic) : topic === logTopic;
  });
}
