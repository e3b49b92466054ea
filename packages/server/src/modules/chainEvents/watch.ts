import { createHash } from "node:crypto";
import { parseAddress, parseEventSelection, parseTopic, type Selection } from "@purse/chain";
import { ErrorCode, isClassName, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { type EventFilter, parseEventFilter } from "../../chainWork/eventFilter.ts";
import { filterFields } from "../../chainWork/filterFields.ts";
import type { SyncedAddress } from "./syncedAddress.ts";

/** A watch: logs of a contract's event, or transfers of an address, that are stored as objects of a class. */
export interface Watch {
  /** A hash of the contents: equal watches have the same id. */
  id: string;
  chainId: number;
  className: string;
  /** Each is processed independently, in the order of its chain. */
  selections: Selection[];
  filter: EventFilter;
  /** Number of blocks, including its own, after which a block is final. */
  confirmations: number;
  /** Whether events before its creation are included. */
  isHistorical: boolean;
  /** Receives every change. */
  webhook: string | undefined;
  /** Set if the objects have the columns of the tables of a synced address. */
  synced?: SyncedAddress;
}

/** Resolves chains of watches. */
export interface ChainResolver {
  /** Throws ProtocolError 142. */
  chainIdOf(selector: unknown): number;
  /** Whether a chain's index contains the logs of all contracts. */
  isFullyIndexed(chainId: number): boolean;
}

const DEFAULT_CONFIRMATIONS = 12;
/** Chains of Hardhat, Ganache and the local chain, which mine a block only when there is a transaction. */
const LOCAL_CHAINS: ReadonlySet<number> = new Set([1_337, 31_337]);
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

/** The number of blocks after which a block of a chain counts as final, if nothing else is set. */
export function defaultConfirmations(chainId: number, usual = DEFAULT_CONFIRMATIONS): number {
  return LOCAL_CHAINS.has(chainId) ? 1 : usual;
}

/**
 * Parses a watch as written by operators and cloud code: { chainId, address, tableName, abi, topic, filter,
 * sync_historical, confirmations, webhook }. With `topic` alone, logs are stored undecoded; without `abi` and `topic`, an
 * address is watched. A filter that matches nothing is accepted in a stored watch. Throws ProtocolError 142.
 */
export function parseWatch(options: JsonObject, chains: ChainResolver, isStored = false): Watch {
  const unknown = Object.keys(options).find((key) => !KEYS.has(key));
  if (unknown !== undefined)
    throw invalidWatch(`${unknown.slice(0, 64)} is not known: ${[...KEYS].join(", ")} are`);
  const chainId = chains.chainIdOf(options.chainId ?? options.chain);
  const { abi, topic } = options;
  const hasAbi = abi !== undefined && abi !== null;
  const isEvent = hasAbi || (topic !== undefined && topic !== null);
  const className = options.tableName ?? (isEvent ? undefined : DEFAULT_CLASS);
  if (typeof className !== "string" || !isClassName(className) || className.startsWith("_")) {
    throw invalidWatch("tableName must be the name of a class");
  }
  if (isEvent && !chains.isFullyIndexed(chainId)) {
    throw invalidWatch("events require an index of the whole chain, and this one indexes known wallets only");
  }
  const selections = hasAbi
    ? [parseEventSelection(options.address, abi, topic)]
    : isEvent
      ? [{ kind: "logs" as const, address: parseAddress(options.address), topic: parseTopic(topic) }]
      : addressSelections(parseAddress(options.address), chains.isFullyIndexed(chainId));
  const filter = parseEventFilter(options.filter, isStored ? undefined : filterFields(selections));
  const selectionKeys = selections.map(({ kind, address, ...more }) => [
    kind,
    address,
    "topic" in more ? more.topic : "",
  ]);
  return {
    id: digest([chainId, className, selectionKeys, options.filter ?? null]).slice(0, 24),
    chainId,
    className,
    selections,
    filter,
    confirmations: integerOf(options.confirmations, "confirmations") ?? defaultConfirmations(chainId),
    isHistorical: (options.sync_historical ?? options.syncHistorical) === true,
    webhook: parseWebhookUrl(options.webhook),
  };
}

/** The object id of a log, transaction or transfer in one block. */
export function eventId(
  chainId: number,
  blockHash: string,
  kind: string,
  position: number,
  part: number,
): string {
  const idKind = kind === "transactions" ? "transaction" : "log";
  return digest([chainId, blockHash, idKind, position, part]).slice(0, 24);
}

function digest(value: JsonValue): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** Selections of an address; transactions of a wallet are known only on fully indexed chains. */
function addressSelections(address: string, isFullyIndexed: boolean): Selection[] {
  const tokens: Selection[] = [
    { kind: "erc20", address },
    { kind: "nft", address },
  ];
  return isFullyIndexed ? [{ kind: "transactions", address }, ...tokens] : tokens;
}

function integerOf(value: JsonValue | undefined, name: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalidWatch(`${name} must be an integer of at least 0`);
}

function parseWebhookUrl(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string" && value.length <= 2_000 && URL.canParse(value)) {
    const { protocol, username, password } = new URL(value);
    if (/^https?:$/.test(protocol) && username === "" && password === "") return value;
  }
  throw invalidWatch("webhook must be an http:// or https:// URL");
}

function invalidWatch(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `Invalid watch: ${message}`);
}
