import { setTimeout as sleep } from "node:timers/promises";
import type { JsonValue } from "@purse/protocol";
import type { NodeHealth } from "../model/chainStatus.ts";
import { LyingNode, RpcError, RpcTooLarge, RpcUnreachable } from "./rpcErrors.ts";
import { openTransport, type Transport } from "./transport.ts";

export interface RpcCall {
  method: string;
  params: JsonValue[];
}

export type RpcOutcome = { result: JsonValue } | { error: RpcError };

export interface RpcOptions {
  /** EIP-155. A node is asked for it before anything else, again after each failure, and refused if it differs. */
  chainId?: number;
  /** For one request, in ms. */
  timeoutMs?: number;
  /** Largest answer that is read, in bytes. */
  maxBytes?: number;
  /** Calls in one request. */
  maxBatch?: number;
  /** Further rounds over all nodes where none has answered, unless that took as long as `timeoutMs`. */
  retries?: number;
}

interface Endpoint {
  host: string;
  transport: Transport;
  /** Whether it has shown, since it last failed, that it is of the right chain. */
  checked: boolean;
  failures: number;
  /** After failures others are asked first until then (ms since the epoch). */
  restsUntil: number;
  latencyMs: number | undefined;
  error: string | undefined;
}

/** A node that takes no batch, or none of this size. */
class BatchRefused extends Error {}

const RETRY_MS = 200;
const MAX_REST_MS = 30_000;

/** JSON-RPC 2.0 to the nodes of one chain, over HTTP or WebSocket: batches, deadline, size cap, retries, failover. */
export class Rpc {
  readonly #endpoints: readonly Endpoint[];
  readonly #chainId: number | undefined;
  readonly #retries: number;
  readonly #timeoutMs: number;
  readonly #maxBytes: number;
  /** Less once a node has refused a batch of that size. */
  #maxBatch: number;
  #closing = new AbortController();
  /** The node that answered last. */
  #current = 0;
  #nextId = 1;

  constructor(urls: readonly string[], options: RpcOptions = {}) {
    const { maxBytes = 64 * 1024 * 1024 } = options;
    this.#maxBytes = maxBytes;
    this.#endpoints = urls.map((url) => ({
      host: URL.parse(url)?.host ?? "",
      transport: openTransport(url, maxBytes),
      checked: options.chainId === undefined,
      failures: 0,
      restsUntil: 0,
      latencyMs: undefined,
      error: undefined,
    }));
    this.#chainId = options.chainId;
    this.#retries = options.retries ?? 2;
    this.#timeoutMs = options.timeoutMs ?? 15_000;
    this.#maxBatch = options.maxBatch ?? 100;
  }

  get health(): NodeHealth[] {
    return this.#endpoints.map(({ host, failures, latencyMs, error }) => ({
      host,
      state: failures > 0 ? "failing" : latencyMs === undefined ? "unused" : "well",
      ...(latencyMs !== undefined && { latencyMs }),
      ...(failures > 0 && error !== undefined && { error }),
    }));
  }

  /** Rejects with RpcError, LyingNode or RpcUnreachable; with the latter also where `signal` ends it. */
  async call(method: string, params: JsonValue[], signal?: AbortSignal): Promise<JsonValue> {
    const [outcome] = await this.batch([{ method, params }], signal);
    if (!outcome) throw new RpcUnreachable("the node gave no answer");
    if ("error" in outcome) throw outcome.error;
    return outcome.result;
  }

  /** The outcomes in the order of the calls. Rejects with RpcUnreachable where no node answers. */
  async batch(calls: RpcCall[], signal?: AbortSignal): Promise<RpcOutcome[]> {
    const outcomes: RpcOutcome[] = [];
    while (outcomes.length < calls.length) {
      const size = Math.min(this.#maxBatch, calls.length - outcomes.length);
      try {
        outcomes.push(...(await this.#post(calls.slice(outcomes.length, outcomes.length + size), signal)));
      } catch (error) {
        if (!(error instanceof BatchRefused)) throw error;
        this.#maxBatch = Math.max(1, Math.floor(size / 2));
      }
    }
    return outcomes;
  }

  /** Ends what is under way with RpcUnreachable. */
  abort(): void {
    this.#closing.abort();
    this.#closing = new AbortController();
    for (const { transport } of this.#endpoints) transport.close();
  }

  /** Lets others be asked before the node that answered last, which has told what cannot be. */
  distrust(reason: Error): void {
    const endpoint = this.#endpoints[this.#current];
    if (!endpoint) return;
    endpoint.failures += 1;
    endpoint.error = reason.message;
    endpoint.restsUntil = Date.now() + MAX_REST_MS;
  }

  /** Rounds over all nodes, with pauses that grow. */
  async #post(calls: RpcCall[], ended: AbortSignal | undefined): Promise<RpcOutcome[]> {
    const signal = ended ? AbortSignal.any([this.#closing.signal, ended]) : this.#closing.signal;
    const giveUp = Date.now() + this.#timeoutMs;
    for (let round = 0; ; round++) {
      try {
        return await this.#postToAny(calls, signal);
      } catch (error) {
        const mayHelp = error instanceof RpcUnreachable && !(error instanceof RpcTooLarge);
        if (!mayHelp || round >= this.#retries || signal.aborted || Date.now() > giveUp) throw error;
        await sleep(RETRY_MS * 2 ** round, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Each node is tried once: first the one that answered last, last those that have just failed. */
  async #postToAny(calls: RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]> {
    const failures: Error[] = [];
    for (const endpoint of this.#inOrder()) {
      const began = performance.now();
      try {
        if (!endpoint.checked) await this.#check(endpoint, signal);
        const outcomes = await this.#postTo(endpoint, calls, signal);
        this.#current = this.#endpoints.indexOf(endpoint);
        endpoint.latencyMs = Math.round(performance.now() - began);
        endpoint.failures = 0;
        return outcomes;
      } catch (error) {
        // The node is well; the question is not.
        if (error instanceof BatchRefused || (error instanceof RpcTooLarge && !calls.every(isShort)))
          throw error;
        failures.push(error instanceof Error ? error : new Error(String(error)));
        if (signal.aborted) break;
        endpoint.checked = this.#chainId === undefined;
        endpoint.error = failures.at(-1)?.message;
        endpoint.restsUntil = Date.now() + Math.min(MAX_REST_MS, 1_000 * 2 ** endpoint.failures);
        endpoint.failures += 1;
      }
    }
    const reasons =
      [...new Set(failures.map(({ message }) => message))].join("; ") || "no node is configured";
    if (failures.length > 0 && failures.every((each) => each instanceof LyingNode))
      throw new LyingNode(reasons);
    throw new RpcUnreachable(reasons);
  }

  /** Has every node asked for its chain again before anything else. */
  recheck(): void {
    for (const endpoint of this.#endpoints) endpoint.checked = this.#chainId === undefined;
  }

  #maxBytesOf(calls: readonly RpcCall[]): number {
    if (calls.every(isShort)) return MAX_SHORT_BYTES * calls.length;
    return calls.length > 1 ? Math.min(this.#maxBytes, MAX_BATCH_BYTES) : this.#maxBytes;
  }

  #inOrder(): Endpoint[] {
    const now = Date.now();
    const around = [...this.#endpoints.slice(this.#current), ...this.#endpoints.slice(0, this.#current)];
    return [
      ...around.filter(({ restsUntil }) => restsUntil <= now),
      ...around.filter(({ restsUntil }) => restsUntil > now),
    ];
  }

  async #check(endpoint: Endpoint, signal: AbortSignal): Promise<void> {
    const [outcome] = await this.#postTo(endpoint, [{ method: "eth_chainId", params: [] }], signal);
    if (!outcome || "error" in outcome) throw new RpcUnreachable("the node does not tell its chain");
    const id = Number(outcome.result);
    if (id !== this.#chainId) throw new LyingNode(`the node is of chain ${id}, not ${this.#chainId}`);
    endpoint.checked = true;
  }

  async #postTo({ transport }: Endpoint, calls: RpcCall[], closing: AbortSignal): Promise<RpcOutcome[]> {
    const first = this.#nextId;
    this.#nextId += calls.length;
    const body = calls.map(({ method, params }, i) => ({ jsonrpc: "2.0", id: first + i, method, params }));
    const { status, text } = await transport.send(
      JSON.stringify(body.length === 1 ? body[0] : body),
      body.map(({ id }) => id),
      this.#maxBytesOf(calls),
      AbortSignal.any([AbortSignal.timeout(this.#timeoutMs), closing]),
    );
    if (calls.length > 1 && (status === 400 || status === 413)) throw new BatchRefused();
    if (status < 200 || status >= 300) throw new RpcUnreachable(`the node answered HTTP ${status}`);
    const answers: unknown = parse(text);
    if (calls.length > 1 && !Array.isArray(answers)) throw new BatchRefused();
    const list = Array.isArray(answers) ? answers : [answers];
    const byId = new Map(list.map((answer) => [isRecord(answer) ? answer.id : undefined, answer]));
    return calls.map((_, i) => outcomeOf(byId.get(first + i)));
  }
}

/** Questions whose answers are a few bytes. */
const SHORT: ReadonlySet<string> = new Set(["eth_blockNumber", "eth_chainId", "eth_getBalance"]);
const MAX_SHORT_BYTES = 16 * 1024;
/** Of a batch: what is larger is asked for in smaller ones. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024;

function isShort({ method }: RpcCall): boolean {
  return SHORT.has(method);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcUnreachable("the node's answer is not JSON");
  }
}

function outcomeOf(answer: unknown): RpcOutcome {
  if (!isRecord(answer)) throw new RpcUnreachable("the node left a call unanswered");
  if (isRecord(answer.error)) {
    const { code = 0, message = "unknown error", data } = answer.error;
    return {
      error: new RpcError(Number(code), String(message), typeof data === "string" ? data : undefined),
    };
  }
  if (!("result" in answer)) throw new RpcUnreachable("the node's answer has neither result nor error");
  return { result: answer.result as JsonValue };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
