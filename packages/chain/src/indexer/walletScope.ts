import { CONSECUTIVE_TRANSFER_TOPIC } from "../decode/consecutiveTransfers.ts";
import {
  type DecodeContext,
  decodeLogs,
  TRANSFER_BATCH_TOPIC,
  TRANSFER_SINGLE_TOPIC,
} from "../decode/decodeLogs.ts";
import { type BlockRow, type BlockRows, blockOf } from "../model/rows.ts";
import { addressTopic, DEPOSIT_TOPIC, TRANSFER_TOPIC, WITHDRAWAL_TOPIC } from "../model/topics.ts";
import type { ChainNode, LogFilter, NodeLog } from "../node/chainNode.ts";
import type { FetchedRange, IndexScope } from "./scope.ts";

/** Addresses per filter; nodes accept a few hundred. */
const ADDRESSES_PER_FILTER = 200;

/** Scope `wallets`: token transfers of watched wallets, and logs of watched contracts. */
export function walletScope(
  node: ChainNode,
  context: DecodeContext,
  watched: () => readonly string[],
): IndexScope {
  return {
    get blockRange() {
      return node.logRange;
    },
    async fetch(from, to): Promise<FetchedRange | undefined> {
      const startedAt = Date.now();
      const newest = await node.getHeader(to);
      if (!newest) return undefined;
      const logs = await transferLogs(node, context, from, to, watched());
      // Same header before and after: the chain was not reorganized in between.
      const blocks = await getHeadersByNumber(node, [
        from - 1,
        ...logs.map(({ position }) => blockOf(position)),
        to,
      ]);
      const last = blocks.get(to);
      if (last?.hash !== newest.hash) return undefined;
      const fetchedAt = Date.now();
      const rows = decodeRows(logs, blocks, context, last);
      if (!rows) return undefined;
      const parentHash = from === to ? last.parentHash : (blocks.get(from - 1)?.hash ?? "");
      return { parentHash, ...rows, last, timings: { startedAt, fetchedAt, decodedAt: Date.now() } };
    },
  };
}

/** The logs of a range that concern the addresses, in log order. */
export async function transferLogs(
  node: ChainNode,
  { wrappedNative }: DecodeContext,
  from: number,
  to: number,
  addresses: readonly string[],
): Promise<NodeLog[]> {
  const logs = new Map<number, NodeLog>();
  for (let at = 0; at < addresses.length; at += ADDRESSES_PER_FILTER) {
    for (const filter of filtersOf(addresses.slice(at, at + ADDRESSES_PER_FILTER))) {
      for (const log of await node.getLogs(from, to, filter)) {
        // Many contracts have Deposit and Withdrawal events.
        const isUnrelated = log.address !== wrappedNative && WRAPPING_TOPICS.has(log.topics[0] ?? "");
        if (!isUnrelated) logs.set(log.position, log);
      }
    }
  }
  return [...logs.values()].sort((a, b) => a.position - b.position);
}

const WRAPPING_TOPICS: ReadonlySet<string> = new Set([DEPOSIT_TOPIC, WITHDRAWAL_TOPIC]);

/**
 * Filters for senders and receivers of ERC-20 and ERC-721 (topics 1 and 2), of ERC-1155 and ERC-2309 (topics 2 and
 * 3), and for deposits and withdrawals of the wrapped native coin (topic 1).
 */
function filtersOf(addresses: readonly string[]): LogFilter[] {
  const topics = addresses.map(addressTopic);
  const items = [TRANSFER_SINGLE_TOPIC, TRANSFER_BATCH_TOPIC, CONSECUTIVE_TRANSFER_TOPIC];
  return [
    { topics: [[TRANSFER_TOPIC, ...WRAPPING_TOPICS], topics] },
    { topics: [[TRANSFER_TOPIC, ...items], null, topics] },
    { topics: [items, null, null, topics] },
  ];
}

export async function getHeadersByNumber(
  node: ChainNode,
  numbers: readonly number[],
): Promise<Map<number, BlockRow>> {
  const unique = [...new Set(numbers)].filter((number) => number >= 0);
  const heads = await node.getHeaders(unique);
  return new Map(heads.flatMap((head) => (head ? [[head.number, head] as const] : [])));
}

/** undefined if a log's block has been replaced. */
export function decodeRows(
  logs: readonly NodeLog[],
  blocks: ReadonlyMap<number, BlockRow>,
  context: DecodeContext,
  last?: BlockRow,
): { rows: BlockRows; tokens: ReturnType<typeof decodeLogs>["tokens"] } | undefined {
  if (logs.some(({ position, blockHash }) => blocks.get(blockOf(position))?.hash !== blockHash))
    return undefined;
  const blockNumbers = new Set([
    ...logs.map(({ position }) => blockOf(position)),
    ...(last ? [last.number] : []),
  ]);
  const { tokens, ...decoded } = decodeLogs(logs, context);
  const rows = {
    blocks: [...blockNumbers].sort((a, b) => a - b).flatMap((number) => blocks.get(number) ?? []),
    transactions: [],
    ...decoded,
    // Sales are queried by collection: those of some wallets would be incomplete.
    trades: [],
  };
  return { rows, tokens };
}
