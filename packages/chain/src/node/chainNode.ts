import { isJsonObject, type JsonValue } from "@purse/protocol";
import {
  LyingNode,
  Rpc,
  RpcError,
  type RpcOptions,
  type RpcOutcome,
  RpcTooLarge,
  RpcUnreachable,
} from "./rpc.ts";

/** The head of a block, as far as the index needs it. Hashes in lower-case hex. */
export interface BlockHead {
  number: number;
  hash: string;
  parentHash: string;
  /** Seconds since the epoch. */
  timestamp: number;
}

/** A log as the node tells it. Addresses, hashes and data in lower-case hex. */
export interface ChainLog {
  address: string;
  topics: string[];
  data: string;
  blockNumber: number;
  blockHash: string;
  transactionHash: string;
  transactionIndex: number;
  logIndex: number;
}

/** What `eth_call` runs. Hex; without `to` the data is run as a contract's creation. */
export interface ContractCall {
  from?: string;
  to?: string;
  data: string;
  /** How much it may burn. */
  gas: number;
}

const MIN_RANGE = 1;
const MAX_RANGE = 2_000;
/** For one call of a contract: one that burns all must not take the node's time with it. */
const CALL_GAS = 5_000_000;

/** One EVM chain, reachable over JSON-RPC. */
export class ChainNode {
  readonly chainId: number;
  readonly #rpc: Rpc;
  /** How many blocks one request for logs spans: less after an error, more after a success. */
  #range = 200;

  constructor(chainId: number, urls: readonly string[], options?: RpcOptions) {
    this.chainId = chainId;
    this.#rpc = new Rpc(urls, { ...options, chainId });
  }

  get range(): number {
    return this.#range;
  }

  /** Ends what is under way. */
  abort(): void {
    this.#rpc.abort();
  }

  async headNumber(): Promise<number> {
    return quantity(await this.#rpc.call("eth_blockNumber", []));
  }

  async head(number: number): Promise<BlockHead | undefined> {
    const [head] = await this.heads(number, number);
    return head;
  }

  /** The heads of a range, both ends included; undefined for blocks that the node does not have. */
  async heads(from: number, to: number): Promise<(BlockHead | undefined)[]> {
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    const calls = numbers.map((number) => ({ method: "eth_getBlockByNumber", params: [hex(number), false] }));
    const outcomes = await this.#rpc.batch(calls);
    return outcomes.map((outcome, i) => headOf(resultOf(outcome), numbers[i] ?? 0));
  }

  /**
   * All logs with one first topic in a range, both ends included, in their order. Splits where the node refuses
   * the range or its answer is too large.
   */
  async logs(from: number, to: number, topic: string): Promise<ChainLog[]> {
    try {
      const filter = { fromBlock: hex(from), toBlock: hex(to), topics: [topic] };
      const logs = logsOf(await this.#rpc.call("eth_getLogs", [filter]), from, to);
      if (to - from + 1 >= this.#range) this.#range = Math.min(MAX_RANGE, this.#range * 2);
      return logs;
    } catch (error) {
      if (error instanceof LyingNode || from === to) throw error;
      // It may have taken too long: less the next time, but no more tries now.
      if (error instanceof RpcUnreachable && !(error instanceof RpcTooLarge)) {
        this.#range = Math.max(MIN_RANGE, Math.floor(this.#range / 2));
        throw error;
      }
      this.#range = Math.max(MIN_RANGE, Math.floor((to - from + 1) / 2));
      const middle = from + this.#range - 1;
      const before = await this.logs(from, middle, topic);
      return [...before, ...(await this.logs(middle + 1, to, topic))];
    }
  }

  /** In wei, at a block or the newest one. */
  async balance(address: string, block: number | "latest"): Promise<bigint> {
    const at = block === "latest" ? block : hex(block);
    return BigInt(text(await this.#rpc.call("eth_getBalance", [address, at])));
  }

  /**
   * Runs a call on the newest state, of which nothing stays; undefined where it fails in the contract. Answers in
   * hex. Rejects with RpcError, LyingNode or RpcUnreachable, with the latter also where `signal` ends it.
   */
  async call({ gas, ...call }: ContractCall, signal: AbortSignal): Promise<string | undefined> {
    try {
      return text(await this.#rpc.call("eth_call", [{ ...call, gas: hex(gas) }, "latest"], signal));
    } catch (error) {
      if (error instanceof RpcError) return answerOf({ error });
      throw error;
    }
  }

  /**
   * Reads contracts at one block; undefined for a call that fails in the contract. Answers in hex. Rejects with
   * RpcError where the node cannot tell: that is no answer of the contract's.
   */
  async readContracts(
    calls: { to: string; data: string }[],
    block: number | "latest",
    gas = CALL_GAS,
  ): Promise<(string | undefined)[]> {
    const at = block === "latest" ? block : hex(block);
    const requests = calls.map(({ to, data }) => ({
      method: "eth_call",
      params: [{ to, data, gas: hex(gas) }, at],
    }));
    try {
      return (await this.#rpc.batch(requests)).map(answerOf);
    } catch (error) {
      if (!(error instanceof RpcTooLarge)) throw error;
      // Some contract answers with megabytes: the others must not suffer from it.
      if (calls.length <= 1) return calls.map(() => undefined);
      const half = calls.length >> 1;
      const before = await this.readContracts(calls.slice(0, half), block, gas);
      return [...before, ...(await this.readContracts(calls.slice(half), block, gas))];
    }
  }
}

/** How nodes word what went wrong inside the EVM (Geth, Erigon, Nethermind, Besu, Anvil); 3 is Geth's code of a revert. */
const FAILED_IN_CONTRACT =
  /revert|EVM error|VM execution error|out of gas|invalid opcode|invalid jump|stack (under|over)flow|bad instruction/i;

function answerOf(outcome: RpcOutcome): string | undefined {
  if ("result" in outcome) return typeof outcome.result === "string" ? outcome.result : undefined;
  const { code, message } = outcome.error;
  if (code === 3 || FAILED_IN_CONTRACT.test(message)) return undefined;
  throw new RpcError(code, message);
}

function resultOf(outcome: RpcOutcome): JsonValue {
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}

function headOf(value: JsonValue, asked: number): BlockHead | undefined {
  if (value === null) return undefined;
  if (!isJsonObject(value)) throw new LyingNode("a block is not an object");
  const number = quantity(value.number);
  if (number !== asked) throw new LyingNode(`block ${asked} was asked for and ${number} came`);
  return {
    number,
    hash: hash(value.hash),
    parentHash: hash(value.parentHash),
    timestamp: quantity(value.timestamp),
  };
}

function logsOf(value: JsonValue, from: number, to: number): ChainLog[] {
  if (!Array.isArray(value)) throw new LyingNode("the logs are not a list");
  return value.map((each) => {
    if (!isJsonObject(each) || !Array.isArray(each.topics)) throw new LyingNode("a log is not an object");
    const blockNumber = quantity(each.blockNumber);
    if (blockNumber < from || blockNumber > to) {
      throw new LyingNode(`logs of ${from}–${to} were asked for and one of ${blockNumber} came`);
    }
    return {
      address: text(each.address).toLowerCase(),
      topics: each.topics.map((topic) => text(topic).toLowerCase()),
      data: text(each.data).toLowerCase(),
      blockNumber,
      blockHash: hash(each.blockHash),
      transactionHash: hash(each.transactionHash),
      transactionIndex: quantity(each.transactionIndex),
      logIndex: quantity(each.logIndex),
    };
  });
}

function quantity(value: JsonValue | undefined): number {
  const number =
    typeof value === "string" && /^0x[0-9a-fA-F]+$/.test(value) ? Number.parseInt(value, 16) : Number.NaN;
  if (!Number.isSafeInteger(number))
    throw new LyingNode(`${JSON.stringify(value ?? null)} is not a quantity`);
  return number;
}

function hash(value: JsonValue | undefined): string {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value)) return value.toLowerCase();
  throw new LyingNode(`${JSON.stringify(value ?? null)} is not a hash`);
}

function text(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  throw new LyingNode(`${JSON.stringify(value ?? null)} is not a text`);
}

function hex(number: number): string {
  return `0x${number.toString(16)}`;
}
