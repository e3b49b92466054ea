import {
  addressOf,
  type BlockContents,
  decodeEvent,
  type InternalTransfer,
  isAddressTopic,
  type LogRow,
  type TransactionRow,
} from "@purse/chain";
import type { JsonObject } from "@purse/protocol";
import { CHAIN_VARIABLE, CONTRACT_VARIABLE, chainHex, SPAM_VARIABLE, type Stream } from "./stream.ts";

/** What of a block concerns a stream, in the order of the chain. */
export interface StreamMatch {
  logs: LogRow[];
  transactions: TransactionRow[];
  internalTransfers: InternalTransfer[];
}

export interface MatchContext {
  chainId: number;
  /** The streams that have an address (lower-case hex). */
  streamsOf(address: string): ReadonlySet<string> | undefined;
  isSpam(contract: string): boolean;
}

/** The addresses that a block concerns: parties of transactions, contracts of logs, and addresses in their topics. */
export function addressesIn(block: BlockContents, internalTransfers: readonly InternalTransfer[]): string[] {
  const addresses = new Set<string>();
  for (const { from, to, contract } of block.transactions)
    for (const each of [from, to, contract]) if (each !== null) addresses.add(each);
  for (const log of block.logs) for (const each of addressesOf(log)) addresses.add(each);
  for (const { from, to } of internalTransfers) addresses.add(from).add(to);
  return [...addresses];
}

/** Returns what of a block concerns a stream; undefined for nothing. */
export function matchBlock(
  stream: Stream,
  block: BlockContents,
  internalTransfers: readonly InternalTransfer[],
  context: MatchContext,
): StreamMatch | undefined {
  const concerns = (address: string | null) =>
    address !== null && context.streamsOf(address)?.has(stream.id) === true;
  const isExcluded = (...addresses: (string | null)[]) =>
    stream.excludesSpam && addresses.some((each) => each !== null && context.isSpam(each));
  const logs = new Set(
    block.logs.filter(
      (log) =>
        stream.wantsLogs &&
        (stream.hasAllAddresses || addressesOf(log).some(concerns)) &&
        matchesTopic(stream, log, context) &&
        !isExcluded(log.address),
    ),
  );
  const hashes = new Set(
    block.transactions
      .filter(
        ({ from, to, contract }) =>
          stream.includeNativeTxs && [from, to, contract].some(concerns) && !isExcluded(to, contract),
      )
      .map(({ hash }) => hash),
  );
  for (const { topics, transactionHash } of logs) {
    const ofTopic = stream.conditions.get(topics[0] ?? "")?.includeNativeTxs === true;
    if (ofTopic || (stream.includeNativeTxs && stream.hasAllAddresses)) hashes.add(transactionHash);
  }
  const internal = internalTransfers.filter(
    ({ from, to }) => stream.includeInternalTxs && (concerns(from) || concerns(to)) && !isExcluded(from, to),
  );
  if (logs.size === 0 && hashes.size === 0 && internal.length === 0) return undefined;
  if (stream.includeAllTxLogs) {
    const transactions = new Set([...hashes, ...[...logs].map(({ transactionHash }) => transactionHash)]);
    for (const log of block.logs) if (transactions.has(log.transactionHash)) logs.add(log);
  }
  return {
    logs: [...logs].sort((a, b) => a.position - b.position),
    transactions: block.transactions.filter(({ hash }) => hashes.has(hash)),
    internalTransfers: internal,
  };
}

/** The contract of a log and the addresses in its topics. */
function addressesOf({ address, topics }: LogRow): string[] {
  return [address, ...topics.slice(1).filter(isAddressTopic).map(addressOf)];
}

function matchesTopic(stream: Stream, log: LogRow, { chainId, isSpam }: MatchContext): boolean {
  const topic = log.topics[0] ?? "";
  if (stream.topics.size > 0 && !stream.topics.has(topic)) return false;
  const condition = stream.conditions.get(topic);
  const definition = stream.events.get(topic);
  const args = definition && decodeEvent(definition.event, log);
  // Another event can have the same topic but other indexed inputs.
  if (definition && !args && (condition || stream.hasAllAddresses)) return false;
  if (!condition) return true;
  const fields: JsonObject = {
    ...args,
    [CONTRACT_VARIABLE]: log.address,
    [CHAIN_VARIABLE]: chainHex(chainId),
    ...(condition.needsSpam && { [SPAM_VARIABLE]: isSpam(log.address) }),
  };
  return condition.filter(fields);
}
