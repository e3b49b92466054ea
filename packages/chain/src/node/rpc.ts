import { setTimeout as sleep } from "node:timers/promises";
import { isRecord, type JsonValue, tryParseJson } from "@purse/protocol";
import type { NodeHealth } from "../model/chainStatus.ts";
import { type Endpoint, NodeFailover } from "./nodeFailover.ts";
import { openTransport } from "./openTransport.ts";
import {
  InvalidNodeDataError,
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
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  /**
   * Limits of a request whose result depends on untrusted contracts. It is not retried, and its failure does not count
   * as a failure of the node.
   */
  untrusted?: { timeoutMs: number; maxBytes: number } | undefined;
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

  /** Prefers other nodes over the current one for a while, because it returned invalid data. */
  penalize(reason: Error): void {
    this.#nodes.penalize(reason);
  }

  /** Retries over all nodes with exponential backoff. */
  async #post(calls: RpcCall[], { signal: callerSignal, untrusted }: RequestOptions): Promise<RpcResult[]> {
    const signal = callerSignal
      ? AbortSignal.any([this.#closing.signal, callerSignal])
      : this.#closing.signal;
    const retries = untrusted ? 0 : this.#retries;
    const deadline = Date.now() + this.#timeoutMs;
    for (let round = 0; ; round++) {
      try {
        return await this.#postToFirstAvailable(calls, { signal, untrusted });
      } catch (error) {
        const isRetryable =
          error instanceof RpcUnreachableError && !(error instanceof RpcResponseTooLargeError);
        if (!isRetryable || round >= retries || signal.aborted || Date.now() > deadline) throw error;
        await sleep(RETRY_MS * 2 ** round, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Tries each node once: the current one first, nodes that failed recently last. */
  async #postToFirstAvailable(
    calls: RpcCall[],
    options: RequestOptions & { signal: AbortSignal },
  ): Promise<RpcResult[]> {
    const { signal, untrusted } = options;
    const failures: Error[] = [];
    for (const endpoint of this.#nodes.byPreference()) {
      const startedAt = performance.now();
      try {
        if (!endpoint.isVerified) await this.#verifyChain(endpoint, signal);
        const results = await this.#postTo(endpoint, calls, options);
        if (untrusted) return results;
        this.#nodes.recordSuccess(endpoint, performance.now() - startedAt);
        return results;
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
        if (untrusted) continue;
        this.#nodes.recordFailure(endpoint, reason);
      }
    }
    const reasons =
      [...new Set(failures.map(({ message }) => message))].join("; ") || "no node is configured";
    if (failures.length > 0 && failures.every((each) => each instanceof InvalidNodeDataError))
      throw new InvalidNodeDataError(reasons);
    throw new RpcUnreachableError(reasons);
  }

  /** Verifies the chain id of all nodes again before the next request. */
  recheckChainId(): void {
    this.#nodes.recheckChainId();
  }

  #maxBytesOf(calls: readonly RpcCall[]): number {
    if (calls.every(hasShortResult)) return MAX_SHORT_RESULT_BYTES * calls.length;
    return calls.length > 1 ? Math.min(this.#maxBytes, MAX_BATCH_BYTES) : this.#maxBytes;
  }

  async #verifyChain(endpoint: Endpoint, signal: AbortSignal): Promise<void> {
    const [result] = await this.#postTo(endpoint, [{ method: "eth_chainId", params: [] }], { signal });
    if (!result || "error" in result) throw new RpcUnreachableError("the node does not return its chain id");
    const id = Number(result.result);
    if (id !== this.#chainId)
      throw new InvalidNodeDataError(`the node belongs to chain ${id}, not ${this.#chainId}`);
    endpoint.isVerified = true;
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
