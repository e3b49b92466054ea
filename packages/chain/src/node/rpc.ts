import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject, isRecord, type JsonValue, tryParseJson } from "@purse/protocol";
import type { NodeHealth } from "../model/chainStatus.ts";
import type { BlockIdentity } from "../model/rows.ts";
import { HeadComparison } from "./headComparison.ts";
import { type Endpoint, NodeFailover } from "./nodeFailover.ts";
import { openTransport } from "./openTransport.ts";
import { parseHash, parseQuantity, toHexQuantity } from "./quantities.ts";
import {
  InvalidNodeDataError,
  isRateLimit,
  isUnsupportedMethod,
  mayBeElsewhere,
  OtherChainError,
  RpcError,
  RpcResponseTooLargeError,
  RpcUnreachableError,
} from "./rpcErrors.ts";

export interface RpcCall {
  method: string;
  params: JsonValue[];
}

export type RpcResult = { result: JsonValue } | { error: RpcError };

export function unwrapResult(result: RpcResult): JsonValue {
  if ("error" in result) throw result.error;
  return result.result;
}

export interface RpcOptions {
  /**
   * EIP-155. Verified before the first request to a node and after each failure; nodes of other chains are rejected.
   */
  chainId?: number;
  /** Timeout of one request, in ms. */
  timeoutMs?: number;
  /** Max response size, in bytes. */
  maxBytes?: number;
  /** Retries over all nodes if none responded, unless `timeoutMs` has passed. */
  retries?: number;
  /** How often the latest blocks of several nodes are compared while there are requests, in ms. */
  compareMs?: number;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  /**
   * Limits of a request whose result depends on untrusted contracts. It is not retried, and its failure does not count
   * as a failure of the node.
   */
  untrusted?: { timeoutMs: number; maxBytes: number } | undefined;
  /** Whether the next node is asked after any error of one, because the result does not depend on the node. */
  asksAll?: boolean | undefined;
  /** Receives the nodes that responded. */
  served?: Set<Endpoint> | undefined;
}

/** The node does not accept batches, or none of this size. */
class BatchRejectedError extends Error {}

const RETRY_MS = 200;

/**
 * JSON-RPC 2.0 client for the nodes of one chain over HTTP or WebSocket: batches, timeout, size limit, retries,
 * failover.
 */
export class Rpc {
  readonly #nodes: NodeFailover;
  readonly #chainId: number | undefined;
  readonly #retries: number;
  readonly #timeoutMs: number;
  readonly #maxBytes: number;
  /** Max calls per request; reduced when a node rejects a batch of that size. */
  #maxBatch = 100;
  #closing = new AbortController();
  #nextId = 1;
  readonly #heads: HeadComparison;
  /** Verifications that have begun. */
  readonly #verifying = new Map<Endpoint, Promise<void>>();
  #finalBlock: BlockIdentity | undefined;

  constructor(urls: readonly string[], options: RpcOptions = {}) {
    const { maxBytes = 64 * 1024 * 1024 } = options;
    this.#maxBytes = maxBytes;
    this.#nodes = new NodeFailover(
      urls.map((url) => ({
        host: URL.parse(url)?.host ?? "",
        transport: openTransport(url, maxBytes),
        untrustedTransport: openTransport(url, Math.min(maxBytes, MAX_BATCH_BYTES)),
      })),
      { verifiesChain: options.chainId !== undefined },
    );
    this.#heads = new HeadComparison(
      this.#nodes,
      (endpoint, method, params, signal) => this.#callNode(endpoint, method, params, signal),
      (endpoint) => this.#verify(endpoint),
      options.compareMs,
    );
    this.#chainId = options.chainId;
    this.#retries = options.retries ?? 2;
    this.#timeoutMs = options.timeoutMs ?? 15_000;
  }

  get health(): NodeHealth[] {
    return this.#nodes.health;
  }

  /** Rejects with RpcError, InvalidNodeDataError or RpcUnreachableError. */
  async call(method: string, params: JsonValue[], options?: RequestOptions): Promise<JsonValue> {
    const [result] = await this.batch([{ method, params }], options);
    if (!result) throw new RpcUnreachableError("the node did not respond");
    return unwrapResult(result);
  }

  /**
   * Returns the results in the order of the calls. Rejects with RpcUnreachableError if no node responds or the signal
   * aborts.
   */
  async batch(calls: RpcCall[], options: RequestOptions = {}): Promise<RpcResult[]> {
    const results: RpcResult[] = [];
    while (results.length < calls.length) {
      const size = Math.min(this.#maxBatch, calls.length - results.length);
      try {
        results.push(...(await this.#post(calls.slice(results.length, results.length + size), options)));
      } catch (error) {
        if (!(error instanceof BatchRejectedError)) throw error;
        this.#maxBatch = Math.max(1, Math.floor(size / 2));
      }
    }
    return results;
  }

  /** Aborts pending requests with RpcUnreachableError. */
  abort(): void {
    this.#closing.abort();
    this.#closing = new AbortController();
    this.#nodes.close();
  }

  /** Prefers other nodes for a while to those that returned invalid data; to the current one if they are not known. */
  penalize(reason: Error, served: ReadonlySet<Endpoint> = new Set()): void {
    this.#nodes.penalize(reason, served);
  }

  /** Calls a method of each node. */
  callEach(method: string, params: JsonValue[]): Promise<PromiseSettledResult<JsonValue>[]> {
    return Promise.allSettled(
      this.#nodes.endpoints.map(async (endpoint) => {
        if (!endpoint.isVerified) await this.#verify(endpoint);
        return this.#callNode(endpoint, method, params);
      }),
    );
  }

  /** Nodes that have another block in the place of this one belong to another chain, and are rejected from now on. */
  setFinalBlock(block: BlockIdentity): void {
    const isFirst = this.#finalBlock === undefined;
    this.#finalBlock = block;
    if (isFirst) this.recheckChain();
  }

  /** Retries over all nodes with exponential backoff. */
  async #post(calls: RpcCall[], options: RequestOptions): Promise<RpcResult[]> {
    const { signal: callerSignal, untrusted } = options;
    const signal = callerSignal
      ? AbortSignal.any([this.#closing.signal, callerSignal])
      : this.#closing.signal;
    // A slow request gets its full time once no other node has responded in that of others.
    const isSlow = untrusted && untrusted.timeoutMs > this.#timeoutMs && this.#nodes.endpoints.length > 1;
    const retries = untrusted ? Number(isSlow) : this.#retries;
    const deadline = Date.now() + (untrusted?.timeoutMs ?? this.#timeoutMs);
    for (let round = 0; ; round++) {
      try {
        const limits = isSlow && round === 0 ? { ...untrusted, timeoutMs: this.#timeoutMs } : untrusted;
        return await this.#postToFirstAvailable(calls, { ...options, signal, untrusted: limits });
      } catch (error) {
        const isRetryable =
          error instanceof RpcUnreachableError && !(error instanceof RpcResponseTooLargeError);
        if (!isRetryable || round >= retries || signal.aborted || Date.now() > deadline) throw error;
        await sleep(RETRY_MS * 2 ** round, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /**
   * Tries each node once: the current one first, nodes that failed recently last. The next one is also tried after one that
   * lacks the method or the block, or limits the rate; if none has more, the result is that of the first one.
   */
  async #postToFirstAvailable(
    calls: RpcCall[],
    options: RequestOptions & { signal: AbortSignal },
  ): Promise<RpcResult[]> {
    const { signal, untrusted, served, asksAll } = options;
    const method = calls[0]?.method ?? "";
    const failures: Error[] = [];
    let incomplete: { endpoint: Endpoint; results: RpcResult[] } | undefined;
    for (const endpoint of this.#nodes.byPreference(method)) {
      const startedAt = performance.now();
      let mayBeContract = false;
      try {
        if (!endpoint.isVerified) await this.#verify(endpoint);
        mayBeContract = untrusted !== undefined;
        const results = await this.#postTo(endpoint, calls, options);
        const error = errorIn(results, asksAll);
        if (!error) {
          if (!untrusted) this.#nodes.recordSuccess(endpoint, performance.now() - startedAt);
          this.#heads.start(this.#closing.signal);
          served?.add(endpoint);
          return results;
        }
        incomplete ??= { endpoint, results };
        if (isRateLimit(error)) this.#nodes.recordFailure(endpoint, error);
        else if (isUnsupportedMethod(error)) this.#nodes.avoid(endpoint, method);
      } catch (error) {
        // The request failed, not the node.
        if (
          error instanceof BatchRejectedError ||
          (error instanceof RpcResponseTooLargeError && !calls.every(hasShortResult))
        )
          throw error;
        const reason = error instanceof Error ? error : new Error(String(error));
        failures.push(reason);
        if (signal.aborted) break;
        // If the contract is the reason, it is the same for all nodes.
        if (mayBeContract) this.#nodes.avoid(endpoint, method);
        else this.#nodes.recordFailure(endpoint, reason);
      }
    }
    if (incomplete) {
      served?.add(incomplete.endpoint);
      return incomplete.results;
    }
    const reasons =
      [...new Set(failures.map(({ message }) => message))].join("; ") || "no node is configured";
    if (failures.length > 0 && failures.every((each) => each instanceof InvalidNodeDataError))
      throw new InvalidNodeDataError(reasons);
    throw new RpcUnreachableError(reasons);
  }

  /** Verifies the chain of all nodes again before the next request. */
  recheckChain(): void {
    this.#nodes.recheckChain();
  }

  #maxBytesOf(calls: readonly RpcCall[]): number {
    if (calls.every(hasShortResult)) return MAX_SHORT_RESULT_BYTES * calls.length;
    return calls.length > 1 ? Math.min(this.#maxBytes, MAX_BATCH_BYTES) : this.#maxBytes;
  }

  /** Verifies that the node belongs to the chain, and has the same final block as the index. */
  async #verify(endpoint: Endpoint): Promise<void> {
    let verifying = this.#verifying.get(endpoint);
    if (!verifying) {
      verifying = this.#verifyOnce(endpoint).finally(() => this.#verifying.delete(endpoint));
      this.#verifying.set(endpoint, verifying);
    }
    await verifying;
  }

  async #verifyOnce(endpoint: Endpoint): Promise<void> {
    const finalBlock = this.#finalBlock;
    if (!endpoint.isVerified) {
      const id = Number(await this.#callNode(endpoint, "eth_chainId", []));
      if (id !== this.#chainId)
        throw new InvalidNodeDataError(`the node belongs to chain ${id}, not ${this.#chainId}`);
    }
    if (finalBlock && finalBlock.number !== endpoint.verifiedBlock)
      await this.#verifyFinalBlock(endpoint, finalBlock);
    endpoint.isVerified = true;
    endpoint.verifiedBlock = finalBlock?.number;
  }

  async #verifyFinalBlock(endpoint: Endpoint, { number, hash }: BlockIdentity): Promise<void> {
    const params = [toHexQuantity(number), false];
    const block = await this.#callNode(endpoint, "eth_getBlockByNumber", params);
    if (isJsonObject(block)) {
      if (parseHash(block.hash) === hash) return;
      throw new OtherChainError(number);
    }
    const head = parseQuantity(await this.#callNode(endpoint, "eth_blockNumber", []));
    // Others may have removed old blocks.
    if (head >= number) return;
    throw new RpcUnreachableError(`the node is at block ${head} and lacks block ${number}, which is final`);
  }

  /** Calls a method of one node. */
  async #callNode(
    endpoint: Endpoint,
    method: string,
    params: JsonValue[],
    signal = this.#closing.signal,
  ): Promise<JsonValue> {
    const [result] = await this.#postTo(endpoint, [{ method, params }], { signal });
    if (!result) throw new RpcUnreachableError("the node did not respond");
    return unwrapResult(result);
  }

  async #postTo(
    { transport, untrustedTransport }: Endpoint,
    calls: RpcCall[],
    { signal, untrusted }: RequestOptions & { signal: AbortSignal },
  ): Promise<RpcResult[]> {
    const first = this.#nextId;
    this.#nextId += calls.length;
    const body = calls.map(({ method, params }, i) => ({ jsonrpc: "2.0", id: first + i, method, params }));
    const { status, text } = await (untrusted ? untrustedTransport : transport).send(
      JSON.stringify(body.length === 1 ? body[0] : body),
      body.map(({ id }) => id),
      Math.min(this.#maxBytesOf(calls), untrusted?.maxBytes ?? this.#maxBytes),
      AbortSignal.any([AbortSignal.timeout(untrusted?.timeoutMs ?? this.#timeoutMs), signal]),
    );
    if (calls.length > 1 && (status === 400 || status === 413)) throw new BatchRejectedError();
    if (status < 200 || status >= 300)
      throw new RpcUnreachableError(`the node responded with HTTP ${status}`);
    const responses = tryParseJson(text);
    if (responses === undefined) throw new RpcUnreachableError("the node's response is not JSON");
    if (calls.length > 1 && !Array.isArray(responses)) throw new BatchRejectedError();
    const list = Array.isArray(responses) ? responses : [responses];
    const byId = new Map(list.map((response) => [isRecord(response) ? response.id : undefined, response]));
    return calls.map((_, i) => parseResult(byId.get(first + i)));
  }
}

/** Methods whose results are a few bytes. */
const SHORT_RESULT_METHODS: ReadonlySet<string> = new Set([
  "eth_blockNumber",
  "eth_chainId",
  "eth_getBalance",
]);
const MAX_SHORT_RESULT_BYTES = 16 * 1024;
/** Max response size of a batch; larger ones are split. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024;

/** Why a node did not answer a call that another one may answer. */
function errorIn(results: readonly RpcResult[], isAny = false): RpcError | undefined {
  for (const result of results) {
    if (!("error" in result)) continue;
    if (isAny || mayBeElsewhere(result.error) || isRateLimit(result.error)) return result.error;
  }
  return undefined;
}

function hasShortResult({ method }: RpcCall): boolean {
  return SHORT_RESULT_METHODS.has(method);
}

function parseResult(response: unknown): RpcResult {
  if (!isRecord(response)) throw new RpcUnreachableError("the node's response is incomplete");
  if (isRecord(response.error)) {
    const { code = 0, message = "unknown error", data } = response.error;
    return {
      error: new RpcError(Number(code), String(message), typeof data === "string" ? data : undefined),
    };
  }
  if (!("result" in response))
    throw new RpcUnreachableError("the node's response has neither result nor error");
  return { result: response.result as JsonValue };
}
