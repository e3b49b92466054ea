import type { JsonValue } from "@purse/protocol";
import {
  type Address,
  createPublicClient,
  decodeAbiParameters,
  type Hex,
  http,
  type Log,
  type PublicClient,
  parseAbiParameters,
  toEventSelector,
} from "viem";
import type { TestChain } from "./testChain.ts";

/** A transfer of an ERC-20 token, or of the wrapped coin from and to the null address. Addresses are in lower case. */
export interface Erc20Move {
  block: number;
  hash: Hex;
  token: string;
  from: string;
  to: string;
  value: string;
}

/** A transfer of one token of a collection. Addresses are in lower case. */
export interface NftMove {
  block: number;
  hash: Hex;
  token: string;
  id: string;
  from: string;
  to: string;
  amount: bigint;
  standard: "ERC721" | "ERC1155";
}

/** Coins that a contract sent, or a contract that it created. Addresses are in lower case. */
export interface InternalMove {
  hash: string;
  from: string;
  to: string;
  value: string;
  isCreation: boolean;
}

export const NOBODY = `0x${"0".repeat(40)}`;
/** What was paid and created below a call that did not fail, in execution order. */
function internalMovesOf(hash: string, call: { error?: JsonValue; calls?: JsonValue }): InternalMove[] {
  if (call.error || !Array.isArray(call.calls)) return [];
  return call.calls.flatMap((each) => {
    const { type, from, to, value, error }: Record<string, string> = Object(each);
    const amount = BigInt(value ?? "0x0");
    const isCreation = /^CREATE2?$/.test(type ?? "");
    const isListed = !error && (isCreation || (amount > 0n && /^(CALL|SELFDESTRUCT)$/.test(type ?? "")));
    const own = { hash, from: lower(from ?? ""), to: lower(to ?? ""), value: String(amount), isCreation };
    return [...(isListed ? [own] : []), ...internalMovesOf(hash, Object(each))];
  });
}

export const lower = (text: string) => text.toLowerCase();

const TRANSFER = toEventSelector("Transfer(address,address,uint256)");
const DEPOSIT = toEventSelector("Deposit(address,uint256)");
const WITHDRAWAL = toEventSelector("Withdrawal(address,uint256)");
const CONSECUTIVE = toEventSelector("ConsecutiveTransfer(uint256,uint256,address,address)");
const SINGLE = toEventSelector("TransferSingle(address,address,address,uint256,uint256)");
const USER_OPERATION = toEventSelector(
  "UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)",
);
const BATCH = toEventSelector("TransferBatch(address,address,address,uint256[],uint256[])");
/** Contracts can log anything under the name of an event: what does not encode addresses is no transfer. */
export const areAddresses = (...topics: (string | undefined)[]) =>
  topics.every((topic) => /^0x0{24}/.test(topic ?? ""));
export const party = (topic: string | undefined): Address => `0x${(topic ?? "").slice(26)}`;
/** Length of so many words as hexadecimal text. */
const textOf = (words: number) => 2 + words * 64;
export const word = (data: Hex, index: number) => BigInt(`0x${data.slice(2 + index * 64, 66 + index * 64)}`);

type ChainLog = Log<bigint, number, false>;

/**
 * The history of a test chain as its node returns it: blocks, transactions, receipts and logs, read by viem. The
 * responses of an index are compared with it, so nothing of the index is used here.
 */
export class NodeHistory {
  readonly #chain: TestChain;
  /** Of the wrapped native coin. */
  readonly #weth: Address;
  head = 0;
  /** By number. */
  blocks: Awaited<ReturnType<NodeHistory["readBlock"]>>[] = [];
  /** Earliest first. */
  logs: ChainLog[] = [];

  constructor(chain: TestChain, weth: Address) {
    this.#chain = chain;
    this.#weth = weth;
  }

  get client(): PublicClient {
    return createPublicClient({ transport: http(this.#chain.url), cacheTime: 0 });
  }

  readBlock(number: number) {
    return this.client.getBlock({ blockNumber: BigInt(number), includeTransactions: true });
  }

  #internal: Promise<InternalMove[]> | undefined;

  /** What contracts paid and created, by the call tracer; latest first, also within a transaction. */
  internalMoves(): Promise<InternalMove[]> {
    this.#internal ??= this.#readInternalMoves();
    return this.#internal;
  }

  async #readInternalMoves(): Promise<InternalMove[]> {
    const moves: InternalMove[] = [];
    for (const { number, transactions } of this.blocks) {
      if (transactions.length === 0) continue;
      const params = [`0x${number.toString(16)}`, { tracer: "callTracer" }];
      const traces = await this.#chain.rpc("debug_traceBlockByNumber", params);
      for (const trace of Array.isArray(traces) ? traces : []) {
        const { txHash, result }: { txHash: string; result: JsonValue } = Object(trace);
        moves.push(...internalMovesOf(txHash, Object(result)));
      }
    }
    return moves.reverse();
  }

  /** Reads the whole chain. */
  async read(): Promise<void> {
    this.#internal = undefined;
    this.head = await this.#chain.head();
    this.logs = await this.client.getLogs({ fromBlock: 0n, toBlock: BigInt(this.head) });
    this.blocks = [];
    for (let number = 0; number <= this.head; number += 50) {
      const numbers = Array.from({ length: Math.min(50, this.head + 1 - number) }, (_, i) => number + i);
      this.blocks.push(...(await Promise.all(numbers.map((each) => this.readBlock(each)))));
    }
  }

  /** Latest first. */
  get transactions() {
    return this.blocks.flatMap(({ transactions }) => transactions).reverse();
  }

  receipt(hash: Hex) {
    return this.client.getTransactionReceipt({ hash });
  }

  /** The calls of a transaction by the call tracer. */
  trace(hash: Hex): Promise<JsonValue> {
    return this.#chain.rpc("debug_traceTransaction", [hash, { tracer: "callTracer" }]);
  }

  /** User operations of smart accounts, latest first; costs in wei. */
  userOperations() {
    return this.logs
      .filter(({ topics }) => topics[0] === USER_OPERATION)
      .map(({ topics, data, transactionHash }) => ({
        hash: topics[1] ?? "",
        sender: party(topics[2]),
        transaction: transactionHash,
        success: word(data, 1) === 1n,
        cost: String(word(data, 2)),
      }))
      .reverse();
  }

  timeOf(block: number): number {
    return Number(this.blocks[block]?.timestamp ?? 0);
  }

  /** Of all tokens, latest first. */
  erc20Moves(): Erc20Move[] {
    return this.logs.flatMap((log) => this.#erc20Move(log) ?? []).reverse();
  }

  #erc20Move({ address, topics, data, blockNumber, transactionHash }: ChainLog): Erc20Move | undefined {
    const [topic, first, second] = topics;
    const value = String(data === "0x" ? 0n : BigInt(data));
    const row = { block: Number(blockNumber), hash: transactionHash, token: lower(address), value };
    if (
      topic === TRANSFER &&
      (topics.length !== 3 || data.length !== textOf(1) || !areAddresses(first, second))
    )
      return undefined;
    if (topic === TRANSFER) return { ...row, from: party(first), to: party(second) };
    if (lower(address) !== lower(this.#weth)) return undefined;
    if (topic === DEPOSIT) return { ...row, from: NOBODY, to: party(first) };
    return topic === WITHDRAWAL ? { ...row, from: party(first), to: NOBODY } : undefined;
  }

  /** Of all collections, latest first. */
  nftMoves(): NftMove[] {
    return this.logs.flatMap(nftMovesOf).reverse();
  }

  /** What each wallet has of each token, by `token id owner`; after the block at the most. */
  nftHoldings(): Map<string, bigint> {
    const holdings = new Map<string, bigint>();
    for (const { token, id, from, to, amount } of this.nftMoves()) {
      for (const [owner, change] of [[from, -amount] as const, [to, amount] as const]) {
        if (owner === NOBODY) continue;
        const key = `${token} ${id} ${owner}`;
        holdings.set(key, (holdings.get(key) ?? 0n) + change);
      }
    }
    return new Map([...holdings].filter(([, amount]) => amount > 0n));
  }

  /** What each wallet has of a token, by the owner; at a time in seconds since the epoch. */
  erc20Holdings(token: string, time = Number.POSITIVE_INFINITY): Map<string, bigint> {
    const holdings = new Map<string, bigint>();
    for (const { block, token: moved, from, to, value } of this.erc20Moves()) {
      if (moved !== lower(token) || this.timeOf(block) > time) continue;
      if (from !== NOBODY) holdings.set(from, (holdings.get(from) ?? 0n) - BigInt(value));
      if (to !== NOBODY) holdings.set(to, (holdings.get(to) ?? 0n) + BigInt(value));
    }
    return new Map([...holdings].filter(([, amount]) => amount > 0n));
  }
}

function nftMovesOf({ address, topics, data, blockNumber, transactionHash }: ChainLog): NftMove[] {
  const [topic, first, second, third] = topics;
  const row = { block: Number(blockNumber), hash: transactionHash, token: lower(address) };
  if (topic === TRANSFER) {
    if (third === undefined || data !== "0x" || !areAddresses(first, second)) return [];
    const id = String(BigInt(third));
    return [{ ...row, id, from: party(first), to: party(second), amount: 1n, standard: "ERC721" }];
  }
  if (topic === CONSECUTIVE) {
    const [from, last] = [BigInt(first ?? 0), word(data, 0)];
    return Array.from({ length: Number(last - from) + 1 }, (_, i) => {
      const id = String(from + BigInt(i));
      return { ...row, id, from: party(second), to: party(third), amount: 1n, standard: "ERC721" };
    });
  }
  if ((topic !== SINGLE && topic !== BATCH) || !areAddresses(first, second, third)) return [];
  const parties = { from: party(second), to: party(third), standard: "ERC1155" as const };
  if (topic === SINGLE && data.length !== textOf(2)) return [];
  if (topic === SINGLE) return [{ ...row, ...parties, id: String(word(data, 0)), amount: word(data, 1) }];
  const [ids, amounts] = decodeLists(data) ?? [[], []];
  return ids.map((id, i) => ({ ...row, ...parties, id: String(id), amount: amounts[i] ?? 0n }));
}

/** Two lists of integers; undefined where a contract has logged something else under the name of the event. */
function decodeLists(data: Hex) {
  try {
    const lists = decodeAbiParameters(parseAbiParameters("uint256[], uint256[]"), data);
    return lists[0].length === lists[1].length ? lists : undefined;
  } catch {
    return undefined;
  }
}
