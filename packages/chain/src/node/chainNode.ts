import { isJsonObject, type JsonValue } from "@purse/protocol";
import type { NodeHealth } from "../model/chainStatus.ts";
import type { BlockIdentity, BlockRow } from "../model/rows.ts";
import { BlockReader, type FullBlock, parseBlockHeader } from "./blocks.ts";
import type { BlockVerifier } from "./blockVerifier.ts";
import { type LogFilter, type NodeLog, parseLogs } from "./logs.ts";
import type { Endpoint } from "./nodeFailover.ts";
import { parseBytes, parseQuantity, parseText, toHexQuantity } from "./quantities.ts";
import { type RequestOptions, Rpc, type RpcOptions, type RpcResult, unwrapResult } from "./rpc.ts";
import {
  InvalidNodeDataError,
  isContractError,
  RpcResponseTooLargeError,
  RpcUnreachableError,
} from "./rpcErrors.ts";

/** Parameters of `eth_call` in hex; without `to`, the data is executed as contract creation code. */
export interface ContractCall {
  from?: string;
  to?: string;
  data: string;
  /** Gas limit. */
  gas: number;
}

/** A block number or a block tag of the execution APIs. */
export type BlockTag = number | "latest" | "safe" | "finalized";

const MIN_RANGE = 1;
const MAX_BLOCK_RANGE = 2_000;
const MAX_LOG_RANGE = 100_000;
/** Target duration of a block range, in ms; long requests delay others. */
const FAST_MS = 400;
const SLOW_MS = 1_500;
/** Gas limit of a single call, so that a contract cannot occupy the node. */
const CALL_GAS = 5_000_000;

export type { LogFilter, NodeLog, RequestOptions };

/** Client of one EVM chain over JSON-RPC. */
export class ChainNode {
  readonly chainId: number;
  readonly #rpc: Rpc;
  readonly #blocks: BlockReader;
  /** Blocks per request: decreases after errors, increases after fast responses. */
  #blockRange = 50;
  /** Blocks per request for logs. */
  #logRange = 2_000;

  /** `options.compareMs` is how often the latest blocks of several nodes are compared while there are requests. */
  constructor(chainId: number, urls: readonly string[], options: Pick<RpcOptions, "compareMs"> = {}) {
    this.chainId = chainId;
    this.#rpc = new Rpc(urls, { chainId, ...options });
    this.#blocks = new BlockReader(this.#rpc);
  }

  get blockRange(): number {
    return this.#blockRange;
  }

  get logRange(): number {
    return this.#logRange;
  }

  get health(): NodeHealth[] {
    return this.#rpc.health;
  }

  /** Verifies the chain of the nodes again before the next request: a URL may point to another chain by now. */
  recheckChain(): void {
    this.#rpc.recheckChain();
  }

  /** Nodes that have another block in the place of this one belong to another chain, and are rejected from now on. */
  setFinalBlock(block: BlockIdentity): void {
    this.#rpc.setFinalBlock(block);
  }

  /** Verifies the blocks of `getBlocks` from now on. */
  verifyBlocks(verifier: BlockVerifier): void {
    this.#blocks.verifyWith(verifier);
  }

  /** Prefers other nodes for a while to those that returned invalid data; to the current one if they are not known. */
  penalize(reason: Error, served?: ReadonlySet<Endpoint>): void {
    this.#rpc.penalize(reason, served);
  }

  /** Whether all nodes respond, and none of them has the block. */
  async isReplacedEverywhere({ number, hash }: BlockIdentity): Promise<boolean> {
    const results = await this.#rpc.callEach("eth_getBlockByNumber", [toHexQuantity(number), false]);
    return results.every(
      (result) => result.status === "fulfilled" && parseHeader(result.value, number)?.hash !== hash,
    );
  }

  /** Aborts pending requests. */
  abort(): void {
    this.#rpc.abort();
  }

  /** Calls any method. Rejects with RpcError, InvalidNodeDataError or RpcUnreachableError. */
  request(method: string, params: JsonValue[], options?: RequestOptions): Promise<JsonValue> {
    return this.#rpc.call(method, params, options);
  }

  async getBlockNumber(): Promise<number> {
    return parseQuantity(await this.#rpc.call("eth_blockNumber", []));
  }

  /** undefined if the node does not have the block or does not support the tag. */
  async getHeader(tag: BlockTag): Promise<BlockRow | undefined> {
    const [header] = await this.getHeaders([tag]);
    return header;
  }

  async getHeaders(tags: readonly BlockTag[]): Promise<(BlockRow | undefined)[]> {
    const calls = tags.map((tag) => ({
      method: "eth_getBlockByNumber",
      params: [formatBlockTag(tag), false],
    }));
    const results = await this.#rpc.batch(calls);
    return results.map((result, i) => {
      const tag = tags[i];
      // Many nodes support neither "safe" nor "finalized".
      if ("error" in result && typeof tag === "string") return undefined;
      return parseHeader(unwrapResult(result), typeof tag === "number" ? tag : undefined);
    });
  }

  /** Full blocks, both ends included, up to the first that is missing or being replaced. */
  async getBlocks(from: number, to: number): Promise<FullBlock[]> {
    const startedAt = performance.now();
    const served = new Set<Endpoint>();
    try {
      const blocks = await this.#blocks.read(from, to, served);
      const elapsed = performance.now() - startedAt;
      if (elapsed < FAST_MS && to - from + 1 >= this.#blockRange)
        this.#blockRange = Math.min(MAX_BLOCK_RANGE, this.#blockRange * 2);
      if (elapsed > SLOW_MS) this.#blockRange = Math.max(MIN_RANGE, this.#blockRange >> 1);
      return blocks;
    } catch (error) {
      if (error instanceof InvalidNodeDataError) this.#rpc.penalize(error, served);
      if (error instanceof InvalidNodeDataError || from === to) throw error;
      this.#blockRange = Math.max(MIN_RANGE, Math.floor((to - from + 1) / 2));
      // The request may have timed out: the next range is smaller, but this one is not retried now.
      if (error instanceof RpcUnreachableError && !(error instanceof RpcResponseTooLargeError)) throw error;
      const middle = from + this.#blockRange - 1;
      const before = await this.getBlocks(from, middle);
      return before.length <= middle - from ? before : [...before, ...(await this.getBlocks(middle + 1, to))];
    }
  }

  /**
   * All matching logs of a range, both ends included, in log order. Splits the range if the node rejects it or the
   * response is too large.
   */
  async getLogs(from: number, to: number, filter: LogFilter): Promise<NodeLog[]> {
    const filterParams = { ...filter, fromBlock: toHexQuantity(from), toBlock: toHexQuantity(to) };
    const served = new Set<Endpoint>();
    try {
      const found = await this.#rpc.call("eth_getLogs", [filterParams], { served });
      const logs = parseLogs(found, from, to, filter);
      if (to - from + 1 >= this.#logRange) this.#logRange = Math.min(MAX_LOG_RANGE, this.#logRange * 2);
      return logs;
    } catch (error) {
      if (error instanceof InvalidNodeDataError) this.#rpc.penalize(error, served);
      if (error instanceof InvalidNodeDataError || from === to) throw error;
      if (error instanceof RpcUnreachableError && !(error instanceof RpcResponseTooLargeError)) {
        this.#logRange = Math.max(MIN_RANGE, Math.floor(this.#logRange / 2));
        throw error;
      }
      this.#logRange = Math.max(MIN_RANGE, Math.floor((to - from + 1) / 2));
      const middle = from + this.#logRange - 1;
      const before = await this.getLogs(from, middle, filter);
      return [...before, ...(await this.getLogs(middle + 1, to, filter))];
    }
  }

  /** The node's JSON of a block, with transactions or their hashes; null if there is none. */
  getRawBlock(block: number | string, withTransactions: boolean): Promise<JsonValue> {
    return typeof block === "number"
      ? this.#rpc.call("eth_getBlockByNumber", [toHexQuantity(block), withTransactions])
      : this.#rpc.call("eth_getBlockByHash", [block, withTransactions]);
  }

  /** undefined if the node does not have the block. */
  async getHeaderByHash(hash: string): Promise<BlockRow | undefined> {
    return parseHeader(await this.#rpc.call("eth_getBlockByHash", [hash, false]), undefined);
  }

  /** The receipts of transactions in the given order; null for pending and unknown transactions. */
  async getReceipts(hashes: readonly string[]): Promise<JsonValue[]> {
    const calls = hashes.map((each) => ({ method: "eth_getTransactionReceipt", params: [each] }));
    return (await this.#rpc.batch(calls)).map(unwrapResult);
  }

  getTransaction(hash: string): Promise<JsonValue> {
    return this.#rpc.call("eth_getTransactionByHash", [hash]);
  }

  /** The node's JSON of a mined transaction by its block; null if the node does not have the block. */
  getTransactionInBlock(blockHash: string, index: number): Promise<JsonValue> {
    return this.#rpc.call("eth_getTransactionByBlockHashAndIndex", [blockHash, toHexQuantity(index)]);
  }

  /** In wei. */
  async getBalance(address: string, tag: BlockTag): Promise<bigint> {
    return BigInt(parseText(await this.#rpc.call("eth_getBalance", [address, formatBlockTag(tag)])));
  }

  /** Balances in wei at one block. Rejects with RpcError if the node lacks its state. */
  async getBalances(addresses: readonly string[], tag: BlockTag): Promise<bigint[]> {
    const calls = addresses.map((address) => ({
      method: "eth_getBalance",
      params: [address, formatBlockTag(tag)],
    }));
    return (await this.#rpc.batch(calls)).map((result) => BigInt(parseText(unwrapResult(result))));
  }

  /** Whether the address is a contract. */
  async hasCode(address: string, tag: BlockTag = "latest"): Promise<boolean> {
    return parseBytes(await this.#rpc.call("eth_getCode", [address, formatBlockTag(tag)])) !== "0x";
  }

  /**
   * Executes a call on the state of a block; undefined if the contract reverts. Returns hex. Rejects with RpcError,
   * InvalidNodeDataError or RpcUnreachableError; with the latter also if the signal aborts.
   */
  async call(
    { gas, ...call }: ContractCall,
    tag: BlockTag,
    options?: RequestOptions,
  ): Promise<string | undefined> {
    const result = await this.callWithError({ gas, ...call }, tag, options);
    return "result" in result && typeof result.result === "string" ? result.result : undefined;
  }

  /** Like `call`, but returns the error of the contract. */
  async callWithError(
    { gas, ...call }: ContractCall,
    tag: BlockTag,
    options?: RequestOptions,
  ): Promise<RpcResult> {
    const params: JsonValue[] = [{ ...call, gas: toHexQuantity(gas) }, formatBlockTag(tag)];
    const [result] = await this.#rpc.batch([{ method: "eth_call", params }], options);
    if (!result) throw new RpcUnreachableError("the node did not respond");
    if ("error" in result && !isContractError(result.error)) throw result.error;
    return result;
  }

  /**
   * Executes calls at one block; undefined for calls that revert. Returns hex. Rejects with RpcError if the node
   * fails, because that is not a result of the contract.
   */
  async readContracts(
    calls: { to: string; data: string }[],
    tag: BlockTag,
    options?: RequestOptions,
  ): Promise<(string | undefined)[]> {
    const requests = calls.map(({ to, data }) => ({
      method: "eth_call",
      params: [{ to, data, gas: toHexQuantity(CALL_GAS) }, formatBlockTag(tag)],
    }));
    try {
      return (await this.#rpc.batch(requests, options)).map(contractResult);
    } catch (error) {
      if (!(error instanceof RpcResponseTooLargeError)) throw error;
      // One contract may return megabytes; the other calls must still succeed.
      if (calls.length <= 1) return calls.map(() => undefined);
      const half = calls.length >> 1;
      const before = await this.readContracts(calls.slice(0, half), tag, options);
      return [...before, ...(await this.readContracts(calls.slice(half), tag, options))];
    }
  }
}

function contractResult(result: RpcResult): string | undefined {
  if ("result" in result) return typeof result.result === "string" ? result.result : undefined;
  if (isContractError(result.error)) return undefined;
  throw result.error;
}

function parseHeader(value: JsonValue, filterParams: number | undefined): BlockRow | undefined {
  if (value === null) return undefined;
  if (!isJsonObject(value)) throw new InvalidNodeDataError("a block is not an object");
  return parseBlockHeader(value, filterParams);
}

function formatBlockTag(tag: BlockTag): string {
  return typeof tag === "number" ? toHexQuantity(tag) : tag;
}
