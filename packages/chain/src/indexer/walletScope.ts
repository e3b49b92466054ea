import { CONSECUTIVE_TRANSFER_TOPIC } from "../decode/consecutiveTransfers.ts";
import {
  type DecodeContext,
  decodeLogs,
  TRANSFER_BATCH_TOPIC,
  TRANSFER_SINGLE_TOPIC,
} from "../decode/decodeLogs.ts";
import { type BlockRow, type BlockRows, blockOf } from "../model/rows.ts";
import { addressTopic, DEPOSIT_TOPIC, TRANSFER_TOPIC, WITHDRAWAL_TOPIC } from "../model/topics.ts";
import type { ChainNode, FoundLog, LogFilter } from "../node/chainNode.ts";
import type { Reading, Scope } from "./scope.ts";

/** Addresses in one filter: nodes take some hundreds. */
const IN_ONE_FILTER = 200;

/** Only what moves tokens from or to addresses that are watched, and what watched contracts log. */
export function knownWallets(
  node: ChainNode,
  context: DecodeContext,
  watched: () => readonly string[],
): Scope {
  return {
    get range() {
      return node.logRange;
    },
    async read(from, to): Promise<Reading | undefined> {
      const newest = await node.head(to);
      if (!newest) return undefined;
      const found = await transferLogs(node, context, from, to, watched());
      // Asked before and after: in between, the chain below was the same.
      const blocks = await headsOf(node, [from - 1, ...found.map(({ position }) => blockOf(position)), to]);
      const last = blocks.get(to);
      if (last?.hash !== newest.hash) return undefined;
      const rows = rowsOf(found, blocks, context, last);
      if (!rows) return undefined;
      const parentHash = from === to ? last.parentHash : (blocks.get(from - 1)?.hash ?? "");
      return { parentHash, ...rows, last };
    },
  };
}

/** The logs of a range that concern some addresses, in their order. */
export async function transferLogs(
  node: ChainNode,
  { wrappedNative }: DecodeContext,
  from: number,
  to: number,
  addresses: readonly string[],
): Promise<FoundLog[]> {
  const found = new Map<number, FoundLog>();
  for (let at = 0; at < addresses.length; at += IN_ONE_FILTER) {
    for (const filter of filtersOf(addresses.slice(at, at + IN_ONE_FILTER))) {
      for (const log of await node.logs(from, to, filter)) {
        // Many contracts log a Deposit or Withdrawal.
        const isOthers = log.address !== wrappedNative && WRAPPING.has(log.topics[0] ?? "");
        if (!isOthers) found.set(log.position, log);
      }
    }
  }
  return [...found.values()].sort((a, b) => a.position - b.position);
}

const WRAPPING: ReadonlySet<string> = new Set([DEPOSIT_TOPIC, WITHDRAWAL_TOPIC]);

/**
 * As sender or receiver of ERC-20 and ERC-721 (topics 1 and 2), of ERC-1155 and ERC-2309 (topics 2 and 3), and as who
 * wraps and unwraps the chain's coin (topic 1).
 */
function filtersOf(addresses: readonly string[]): LogFilter[] {
  const own = addresses.map(addressTopic);
  const items = [TRANSFER_SINGLE_TOPIC, TRANSFER_BATCH_TOPIC, CONSECUTIVE_TRANSFER_TOPIC];
  return [
    { topics: [[TRANSFER_TOPIC, ...WRAPPING], own] },
    { topics: [[TRANSFER_TOPIC, ...items], null, own] },
    { topics: [items, null, null, own] },
  ];
}

export async function headsOf(node: ChainNode, numbers: readonly number[]): Promise<Map<number, BlockRow>> {
  const wanted = [...new Set(numbers)].filter((number) => number >= 0);
  const heads = await node.headsOf(wanted);
  return new Map(heads.flatMap((head) => (head ? [[head.number, head] as const] : [])));
}

/** undefined where a log is of another block than the one that has its number now. */
export function rowsOf(
  found: readonly FoundLog[],
  blocks: ReadonlyMap<number, BlockRow>,
  context: DecodeContext,
  last?: BlockRow,
): { rows: BlockRows; tokens: ReturnType<typeof decodeLogs>["tokens"] } | undefined {
  if (found.some(({ position, blockHash }) => blocks.get(blockOf(position))?.hash !== blockHash))
    return undefined;
  const kept = new Set([...found.map(({ position }) => blockOf(position)), ...(last ? [last.number] : [])]);
  const { tokens, ...decoded } = decodeLogs(found, context);
  const rows = {
    blocks: [...kept].sort((a, b) => a - b).flatMap((number) => blocks.get(number) ?? []),
    transactions: [],
    ...decoded,
    // Sales are those of a collection: of some wallets only they would be no answer.
    trades: [],
  };
  return { rows, tokens };
}
