import { type AbiEventTopic, abiEntriesOf, parseEvents, parseTopic } from "@purse/chain";
import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { z } from "zod";
import { type EventFilter, parseEventFilter } from "../../chainWork/eventFilter.ts";
import { type nativeBalanceOption, streamInput } from "./streamSchemas.ts";

/** A stream: which transactions, logs and internal transactions of some chains are sent to a webhook. */
export interface Stream {
  id: string;
  webhookUrl: string;
  tag: string;
  isActive: boolean;
  /** Its chains (EIP-155) with the first block that it concerns. */
  startBlocks: ReadonlyMap<number, number>;
  /** Sent with each message. */
  abi: JsonValue;
  /** Its events by topic, to decode logs. */
  events: ReadonlyMap<string, AbiEventTopic>;
  /** The only topics of its logs; empty for all. */
  topics: ReadonlySet<string>;
  /** Conditions by topic; logs of other topics have none. */
  conditions: ReadonlyMap<string, TopicCondition>;
  hasAllAddresses: boolean;
  wantsLogs: boolean;
  includeNativeTxs: boolean;
  includeInternalTxs: boolean;
  includeAllTxLogs: boolean;
  excludesSpam: boolean;
  nativeBalances: readonly z.output<typeof nativeBalanceOption>[];
  /** Number of blocks, including its own, after which a block is confirmed; 0 for the finality of the chain. */
  confirmations: number;
  includeRemoved: boolean;
}

interface TopicCondition {
  filter: EventFilter;
  /** Whether the filter needs to know which contracts are spam. */
  needsSpam: boolean;
  includeNativeTxs: boolean;
}

/** Variables of filters besides the arguments of the event, as in Moralis. */
export const CONTRACT_VARIABLE = "moralis_streams_contract_address";
export const CHAIN_VARIABLE = "moralis_streams_chain_id";
export const SPAM_VARIABLE = "moralis_streams_possibleSpam";

const MAX_DEPTH_TEXT = 200_000;

/** Returns the stream of a `_ChainStream` object. Throws ProtocolError 142 with HTTP 400. */
export function parseStream(row: JsonObject): Stream {
  const options = streamInput.parse(withoutNull(row));
  const abi = abiEntriesOf(options.abi);
  if (JSON.stringify(abi).length > MAX_DEPTH_TEXT) throw invalidStream("abi is too long");
  const events = new Map(parseEvents(abi).map((event) => [event.topic, event]));
  const topics = new Set((options.topic0 ?? []).map((topic) => parseTopic(topic)));
  const conditions = new Map<string, TopicCondition>();
  for (const { topic0, filter, includeNativeTxs = false } of options.advancedOptions ?? []) {
    const topic = parseTopic(topic0);
    if (filter && Object.keys(filter).length > 0 && !events.has(topic))
      throw invalidStream(`abi must contain the event ${topic0}, whose arguments are filtered`);
    const previous = conditions.get(topic);
    const own = parseEventFilter(filter ?? {});
    conditions.set(topic, {
      // Several filters of one event are alternatives.
      filter: previous ? (fields) => previous.filter(fields) || own(fields) : own,
      needsSpam: (previous?.needsSpam ?? false) || JSON.stringify(filter ?? {}).includes(SPAM_VARIABLE),
      includeNativeTxs: includeNativeTxs || (previous?.includeNativeTxs ?? false),
    });
  }
  if (options.allAddresses && (topics.size === 0 || events.size === 0))
    throw invalidStream("allAddresses needs abi and topic0");
  const wantsLogs = options.includeContractLogs || topics.size > 0;
  if (!wantsLogs && !options.includeNativeTxs && !options.includeInternalTxs)
    throw invalidStream(
      "it selects nothing: set topic0, includeContractLogs, includeNativeTxs or includeInternalTxs",
    );
  return {
    id: String(row.objectId ?? ""),
    webhookUrl: options.webhookUrl,
    tag: options.tag,
    isActive: row.status !== "paused",
    startBlocks: startBlocksOf(row),
    abi,
    events,
    topics,
    conditions,
    hasAllAddresses: options.allAddresses,
    wantsLogs,
    includeNativeTxs: options.includeNativeTxs,
    includeInternalTxs: options.includeInternalTxs,
    includeAllTxLogs: options.includeAllTxLogs,
    excludesSpam: options.filterPossibleSpamAddresses,
    nativeBalances: options.getNativeBalances,
    confirmations: options.confirmations,
    includeRemoved: options.includeRemoved,
  };
}

/** As in `0x1`. */
export function chainHex(chainId: number): string {
  return `0x${chainId.toString(16)}`;
}

export function invalidStream(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `Invalid stream: ${message}`, 400);
}

function startBlocksOf({ startBlocks }: JsonObject): Map<number, number> {
  if (!isJsonObject(startBlocks)) return new Map();
  return new Map(Object.entries(startBlocks).map(([chain, block]) => [Number(chain), Number(block)]));
}

function withoutNull(row: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
