import { isJsonObject, type JsonValue } from "@purse/protocol";
import type { NodeHealth } from "../model/chainStatus.ts";
import type { BlockRow } from "../model/rows.ts";
import { BlockReader, blockRow, type FullBlock } from "./blocks.ts";
import { type FoundLog, type LogFilter, readLogs } from "./logs.ts";
import { bytes, hex, quantity, text } from "./quantities.ts";
import { Rpc, type RpcOptions, type RpcOutcome } from "./rpc.ts";
import { LyingNode, type RpcError, RpcTooLarge, RpcUnreachable } from "./rpcErrors.ts";

/** What `eth_call` runs. Hex; without `to` the data is run as a contract's creation. */
export interface ContractCall {
  from?: string;
  to?: string;
  data: string;
  /** How much it may burn. */
  gas: number;
}

/** A moment of the chain: a number, or one of the names that nodes give (execution-apis, "block tag"). */
export type BlockTag = number | "latest" | "safe" | "finalized";

const MIN_RANGE = 1;
const MAX_RANGE = 2_000;
const MAX_LOG_RANGE = 100_000;
/** How long a range of blocks should take, in ms: longer ones give way to others too rarely. */
const FAST_MS = 400;
const SLOW_MS = 1_500;
/** For one call of a contract: one that burns all must not take the node's time with it. */
const CALL_GAS = 5_000_000;

export type { FoundLog, LogFilter };

/** One EVM chain, reachable over JSON-RPC. */
export class ChainNode {
  readonly chainId: number;
  readonly #rpc: Rpc;
  readonly #blocks: BlockReader;
  /** How many whole blocks are read at once: fewer after an error, more after a quick answer. */
  #range = 50;
  /** How many blocks one request for logs spans. */
  #logRange = 2_000;

  constructor(chainId: number, urls: readonly string[], options?: RpcOptions) {
    this.chainId = chainId;
    this.#rpc = new Rpc(urls, { ...options, chainId });
    this.#blocks = new BlockReader(this.#rpc);
  }

  get range(): number {
    return this.#range;
  }

  get logRange(): number {
    return this.#logRange;
  }

  get health(): NodeHealth[] {
    return this.#rpc.health;
  }

  /** Has the nodes asked for their chain again before anything else: one may have become another's. */
  recheck(): void {
    this.#rpc.recheck();
  }

  /** Ends what is under way. */
  abort(): void {
    this.#rpc.abort();
  }

  async headNumber(): Promise<number> {
    return quantity(await this.#rpc.call("eth_blockNumber", []));
  }

  /** undefined for a block that the node does not have, or a tag that it does not know. */
  async head(tag: BlockTag): Promise<BlockRow | undefined> {
    const [head] = await this.headsOf([tag]);
    return head;
  }

  /** The heads of a range, both ends included; undefined for blocks that the node does not have. */
  heads(from: number, to: number): Promise<(BlockRow | undefined)[]> {
    return this.headsOf(Array.from({ length: to - from + 1 }, (_, i) => from + i));
  }

  async headsOf(tags: readonly BlockTag[]): Promise<(BlockRow | undefined)[]> {
    const calls = tags.map((tag) => ({ method: "eth_getBlockByNumber", params: [named(tag), false] }));
    const outcomes = await this.#rpc.batch(calls);
    return outcomes.map((outcome, i) => {
      const tag = tags[i];
      // Many nodes know neither "safe" nor "finalized".
      if ("error" in outcome && typeof tag === "string") return undefined;
      return headOf(resultOf(outcome), typeof tag === "number" ? tag : undefined);
    });
  }

  /** Whole blocks, both ends included, up to the first that is missing or just changing. */
  async blocks(from: number, to: number): Promise<FullBlock[]> {
    const began = performance.now();
    try {
      const blocks = await this.#blocks.read(from, to);
      const took = performance.now() - began;
      if (took < FAST_MS && to - from + 1 >= this.#range) this.#range = Math.min(MAX_RANGE, this.#range * 2);
      if (took > SLOW_MS) this.#range = Math.max(MIN_RANGE, this.#range >> 1);
      return blocks;
    } catch (error) {
      if (error instanceof LyingNode) this.#rpc.distrust(error);
      if (error instanceof LyingNode || from === to) throw error;
      this.#range = Math.max(MIN_RANGE, Math.floor((to - from + 1) / 2));
      // It may have taken too long: less the next time, but no more tries now.
      if (error instanceof RpcUnreachable && !(error instanceof RpcTooLarge)) throw error;
      const middle = from + this.#range - 1;
      const before = await this.blocks(from, middle);
      return before.length <= middle - from ? before : [...before, ...(await this.blocks(middle + 1, to))];
    }
  }

  /**
   * All logs that fit in a range, both ends included, in their order. Splits where a node refuses the range or its
   * answer is too large.
   */
  async logs(from: number, to: number, filter: LogFilter): Promise<FoundLog[]> {
    const asked = { ...filter, fromBlock: hex(from), toBlock: hex(to) };
    try {
      const logs = readLogs(await this.#rpc.call("eth_getLogs", [asked]), from, to, filter);
      if (to - from + 1 >= this.#logRange) this.#logRange = Math.min(MAX_LOG_RANGE, this.#logRange * 2);
      return logs;
    } catch (error) {
      if (error instanceof LyingNode) this.#rpc.distrust(error);
      if (error instanceof LyingNode || from === to) throw error;
      if (error instanceof RpcUnreachable && !(error instanceof RpcTooLarge)) {
        this.#logRange = Math.max(MIN_RANGE, Math.floor(this.#logRange / 2));
        throw error;
      }
      this.#logRange = Math.max(MIN_RANGE, Math.floor((to - from + 1) / 2));
      const middle = from + this.#logRange - 1;
      const before = await this.logs(from, middle, filter);
      return [...before, ...(await this.logs(middle + 1, to, filter))];
    }
  }

  /** A block by number or hash as the node tells it, with its transactions or their hashes; null where there is none. */
  rawBlock(block: number | string, withTransactions: boolean): Promise<JsonValue> {
    return typeof block === "number"
      ? this.#rpc.call("eth_getBlockByNumber", [hex(block), withTransactions])
      : this.#rpc.call("eth_getBlockByHash", [block, withTransactions]);
  }

  /** undefined where the node has no such block. */
  async headByHash(hash: string): Promise<BlockRow | undefined> {
    return headOf(await this.#rpc.call("eth_getBlockByHash", [hash, false]), undefined);
  }

  /** The receipts of transactions, in their order; null for those that are in no block. */
  async receipts(hashes: readonly string[]): Promise<JsonValue[]> {
    const calls = hashes.map((each) => ({ method: "eth_getTransactionReceipt", params: [each] }));
    return (await this.#rpc.batch(calls)).map(resultOf);
  }

  transaction(hash: string): Promise<JsonValue> {
    return this.#rpc.call("eth_getTransactionByHash", [hash]);
  }

  /** In wei. */
  async balance(address: string, tag: BlockTag): Promise<bigint> {
    return BigInt(text(await this.#rpc.call("eth_getBalance", [address, named(tag)])));
  }

  /** Whether there is a contract. */
  async hasCode(address: string, tag: BlockTag = "latest"): Promise<boolean> {
    return bytes(await this.#rpc.call("eth_getCode", [address, named(tag)])) !== "0x";
  }

  /**
   * Runs a call on a state, of which nothing stays; undefined where it fails in the contract. Answers in
   * hex. Rejects with RpcError, LyingNode or RpcUnreachable, with the latter also where `signal` ends it.
   */
  async call(
    { gas, ...call }: ContractCall,
    tag: BlockTag,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const outcome = await this.run({ gas, ...call }, tag, signal);
    return "result" in outcome && typeof outcome.result === "string" ? outcome.result : undefined;
  }

  /** As `call`, with what the contract failed with. */
  async run({ gas, ...call }: ContractCall, tag: BlockTag, signal?: AbortSignal): Promise<RpcOutcome> {
    const params: JsonValue[] = [{ ...call, gas: hex(gas) }, named(tag)];
    const [outcome] = await this.#rpc.batch([{ method: "eth_call", params }], signal);
    if (!outcome) throw new RpcUnreachable("the node gave no answer");
    if ("error" in outcome && !failedInContract(outcome.error)) throw outcome.error;
    return outcome;
  }

  /**
   * Reads contracts at one block; undefined for a call that fails in the contract. Answers in hex. Rejects with
   * RpcError where the node cannot tell: that is no answer of the contract's.
   */
  async readContracts(
    calls: { to: string; data: string }[],
    tag: BlockTag,
    gas = CALL_GAS,
  ): Promise<(string | undefined)[]> {
    const requests = calls.map(({ to, data }) => ({
      method: "eth_call",
      params: [{ to, data, gas: hex(gas) }, named(tag)],
    }));
    try {
      return (await this.#rpc.batch(requests)).map(answerOf);
    } catch (error) {
      if (!(error instanceof RpcTooLarge)) throw error;
      // Some contract answers with megabytes: the others must not suffer from it.
      if (calls.length <= 1) return calls.map(() => undefined);
      const half = calls.length >> 1;
      const before = await this.readContracts(calls.slice(0, half), tag, gas);
      return [...before, ...(await this.readContracts(calls.slice(half), tag, gas))];
    }
  }
}

/** How nodes word what went wrong inside the EVM (Geth, Erigon, Nethermind, Besu, Anvil); 3 is Geth's code of a revert. */
const FAILED_IN_CONTRACT =
  /revert|EVM error|VM execution error|out of gas|invalid opcode|invalid jump|stack (under|over)flow|bad instruction/i;

function failedInContract({ code, message }: RpcError): boolean {
  return code === 3 || FAILED_IN_CONTRACT.test(message);
}

function answerOf(outcome: RpcOutcome): string | undefined {
  if ("result" in outcome) return typeof outcome.result === "string" ? outcome.result : undefined;
  if (failedInContract(outcome.error)) return undefined;
  throw outcome.error;
}

function resultOf(outcome: RpcOutcome): JsonValue {
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}

function headOf(value: JsonValue, asked: number | undefined): BlockRow | undefined {
  if (value === null) return undefined;
  if (!isJsonObject(value)) throw new LyingNode("a block is not an object");
  return blockRow(value, asked);
}

function named(tag: BlockTag): string {
  return typeof tag === "number" ? hex(tag) : tag;
}
