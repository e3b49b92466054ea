import { isJsonObject, type JsonValue } from "@purse/protocol";
import { type LogRow, MAX_INDEX, positionOf } from "../model/rows.ts";
import { address, bytes, hash, quantity } from "./quantities.ts";
import { LyingNode } from "./rpcErrors.ts";

export interface LogFilter {
  address?: string;
  /** As in eth_getLogs: null stands for any, a list for any of it. */
  topics?: (string | string[] | null)[];
}

export type FoundLog = Omit<LogRow, "isErc20"> & { blockHash: string };

/** What eth_getLogs answered. Throws LyingNode for logs that were not asked for. */
export function readLogs(value: JsonValue, from: number, to: number, filter: LogFilter): FoundLog[] {
  if (!Array.isArray(value)) throw new LyingNode("the logs are not a list");
  const logs = value.map((each) => {
    const log = readLog(each);
    const block = quantity(isJsonObject(each) ? each.blockNumber : undefined);
    if (block < from || block > to)
      throw new LyingNode(`logs of ${from}–${to} were asked for and one of ${block} came`);
    if (!fits(log, filter)) throw new LyingNode(`a log of block ${block} came that was not asked for`);
    return log;
  });
  return logs.sort((a, b) => a.position - b.position);
}

function readLog(value: JsonValue): FoundLog {
  if (!isJsonObject(value) || !Array.isArray(value.topics)) throw new LyingNode("a log is not an object");
  const index = quantity(value.logIndex);
  if (index > MAX_INDEX) throw new LyingNode("a block has more logs than a block can have");
  return {
    position: positionOf(quantity(value.blockNumber), index),
    blockHash: hash(value.blockHash),
    transactionIndex: quantity(value.transactionIndex),
    transactionHash: hash(value.transactionHash),
    address: address(value.address),
    topics: value.topics.map(hash),
    data: bytes(value.data),
  };
}

function fits(log: FoundLog, { address: wanted, topics }: LogFilter): boolean {
  if (wanted !== undefined && log.address !== wanted) return false;
  return (topics ?? []).every((topic, i) => {
    if (topic === null) return true;
    const own = log.topics[i] ?? "";
    return Array.isArray(topic) ? topic.includes(own) : topic === own;
  });
}
