import { createHash } from "node:crypto";
import { addressOf, eventSelection, type Selection } from "@purse/chain";
import {
  ErrorCode,
  isClassName,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
} from "@purse/protocol";
import { type EventFilter, parseEventFilter } from "./eventFilter.ts";

/** What becomes objects of a class: the logs of a contract's event, or what an address moves. */
export interface Watch {
  /** The same for the same contents, whoever says so. */
  id: string;
  chainId: number;
  className: string;
  /** Each is read for itself, in the order of its chain. */
  selections: Selection[];
  filter: EventFilter;
  /** How many blocks, its own included, make a block one that stays. */
  confirmations: number;
  /** Whether what happened before it was watched becomes objects too. */
  isHistorical: boolean;
  /** Told of every object. */
  webhook: string | undefined;
}

/** What a watch is read with. */
export interface ChainSelector {
  /** Throws ProtocolError 142. */
  chainIdOf(selector: unknown): number;
  /** Whether a chain's index holds the logs of all contracts. */
  isWhole(chainId: number): boolean;
}

const DEFAULT_CONFIRMATIONS = 12;
const DEFAULT_CLASS = "WalletTransfers";
const KEYS: ReadonlySet<string> = new Set([
  "chainId",
  "chain",
  "address",
  "topic",
  "abi",
  "tableName",
  "filter",
  "sync_historical",
  "syncHistorical",
  "confirmations",
  "webhook",
  "limit",
  "description",
]);

/**
 * Reads a watch as operators and cloud code write it: { chainId, address, tableName, abi, topic, filter,
 * sync_historical, confirmations, webhook }; without `abi` it is of an address. Throws ProtocolError 142.
 */
export function parseWatch(options: JsonObject, chains: ChainSelector): Watch {
  const unknown = Object.keys(options).find((key) => !KEYS.has(key));
  if (unknown !== undefined)
    throw refused(`${unknown.slice(0, 64)} is not known: ${[...KEYS].join(", ")} are`);
  const chainId = chains.chainIdOf(options.chainId ?? options.chain);
  const { abi, topic } = options;
  const isEvent = abi !== undefined && abi !== null;
  if (!isEvent && topic !== undefined && topic !== null) throw refused("abi must be that of the event");
  const className = options.tableName ?? (isEvent ? undefined : DEFAULT_CLASS);
  if (typeof className !== "string" || !isClassName(className) || className.startsWith("_")) {
    throw refused("tableName must be the name of a class");
  }
  if (isEvent && !chains.isWhole(chainId)) {
    throw refused("events need an index of the whole chain, and of this one known wallets are followed only");
  }
  const selections = isEvent
    ? [eventSelection(options.address, abi, topic)]
    : movementsOf(addressOf(options.address), chains.isWhole(chainId));
  const filter = parseEventFilter(options.filter);
  const keys = selections.map(({ kind, address, ...more }) => [
    kind,
    address,
    "topic" in more ? more.topic : "",
  ]);
  return {
    id: digest([chainId, className, keys, options.filter ?? null]).slice(0, 24),
    chainId,
    className,
    selections,
    filter,
    confirmations: wholeNumber(options.confirmations, "confirmations") ?? DEFAULT_CONFIRMATIONS,
    isHistorical: (options.sync_historical ?? options.syncHistorical) === true,
    webhook: webhookOf(options.webhook),
  };
}

/** An object's id: of one log, transaction or transfer in one block, however often it is seen. */
export function eventId(
  chainId: number,
  blockHash: string,
  kind: string,
  position: number,
  part: number,
): string {
  const group = kind === "transactions" ? "transaction" : "log";
  return digest([chainId, blockHash, group, position, part]).slice(0, 24);
}

function digest(value: JsonValue): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** A wallet's own transactions are known where all are. */
function movementsOf(address: string, isWhole: boolean): Selection[] {
  const tokens: Selection[] = [
    { kind: "erc20", address },
    { kind: "nft", address },
  ];
  return isWhole ? [{ kind: "transactions", address }, ...tokens] : tokens;
}

function wholeNumber(value: JsonValue | undefined, name: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw refused(`${name} must be a whole number, 0 or more`);
}

function webhookOf(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string" && value.length <= 2_000 && URL.canParse(value)) {
    const { protocol, username, password } = new URL(value);
    if (/^https?:$/.test(protocol) && username === "" && password === "") return value;
  }
  throw refused("webhook must be an http:// or https:// URL");
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `A watch cannot be read: ${message}`);
}

/** Every entry of a list of watches as it is written. Throws Error. */
export function watchOptions(value: unknown): JsonObject[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every(isJsonObject)) return value;
  throw new Error("it must be a list of { chainId, address, tableName, abi, topic, filter, … }");
}
