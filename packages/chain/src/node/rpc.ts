import { setTimeout as sleep } from "node:timers/promises";
import type { JsonValue } from "@purse/protocol";

/** A node that cannot be reached, or whose answer is no JSON-RPC. Another try may succeed. */
export class RpcUnreachable extends Error {
  override readonly name = "RpcUnreachable";
}

/** An answer larger than is read: another try brings the same, a smaller question may not. */
export class RpcTooLarge extends RpcUnreachable {}

/** A node that tells what cannot be: another chain's id, a log of a block that was not asked for. */
export class LyingNode extends Error {
  override readonly name = "LyingNode";
}

/** What a node answers instead of a result. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface RpcCall {
  method: string;
  params: JsonValue[];
}

export type RpcOutcome = { result: JsonValue } | { error: RpcError };

export interface RpcOptions {
  /** EIP-155. A node is asked for it before anything else, again after each failure, and refused if it differs. */
  chainId?: number;
  /** For one HTTP request, in ms. */
  timeoutMs?: number;
  /** Largest answer that is read, in bytes. */
  maxBytes?: number;
  /** Calls in one HTTP request. */
  maxBatch?: number;
  /** Further rounds over all nodes where none has answered, unless that took as long as `timeoutMs`. */
  retries?: number;
}

interface Endpoint {
  url: string;
  /** Whether it has shown, since it last failed, that it is of the right chain. */
  checked: boolean;
}

/** A node that takes no batch, or none of this size. */
class BatchRefused extends Error {}

const RETRY_MS = 200;

/** JSON-RPC 2.0 over HTTP to the nodes of one chain: batches, deadline, size cap, retries, failover. */
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
    this.#endpoints = urls.map((url) => ({ url, checked: options.chainId === undefined }));
    this.#chainId = options.chainId;
    this.#retries = options.retries ?? 2;
    this.#timeoutMs = options.timeoutMs ?? 15_000;
    this.#maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
    this.#maxBatch = options.maxBatch ?? 100;
  }

  /** Rejects with RpcError or RpcUnreachable; with the latter also where `signal` ends it. */
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

  /** Each node is tried once, beginning with the one that answered last. */
  async #postToAny(calls: RpcCall[], signal: AbortSignal): Promise<RpcOutcome[]> {
    const failures: Error[] = [];
    for (let i = 0; i < this.#endpoints.length; i++) {
      const index = (this.#current + i) % this.#endpoints.length;
      const endpoint = this.#endpoints[index];
      if (!endpoint) continue;
      try {
        if (!endpoint.checked) await this.#check(endpoint, signal);
        const outcomes = await this.#postTo(endpoint.url, calls, signal);
        this.#current = index;
        return outcomes;
      } catch (error) {
        // The node is well; the question is not.
        if (error instanceof BatchRefused || error instanceof RpcTooLarge) throw error;
        endpoint.checked = this.#chainId === undefined;
        failures.push(error instanceof Error ? error : new Error(String(error)));
      }
    }
    const reasons =
      [...new Set(failures.map(({ message }) => message))].join("; ") || "no node is configured";
    if (failures.length > 0 && failures.every((each) => each instanceof LyingNode))
      throw new LyingNode(reasons);
    throw new RpcUnreachable(reasons);
  }

  async #check(endpoint: Endpoint, signal: AbortSignal): Promise<void> {
    const [outcome] = await this.#postTo(endpoint.url, [{ method: "eth_chainId", params: [] }], signal);
    if (!outcome || "error" in outcome) throw new RpcUnreachable("the node does not tell its chain");
    const id = Number(outcome.result);
    if (id !== this.#chainId) throw new LyingNode(`the node is of chain ${id}, not ${this.#chainId}`);
    endpoint.checked = true;
  }

  async #postTo(url: string, calls: RpcCall[], closing: AbortSignal): Promise<RpcOutcome[]> {
    const first = this.#nextId;
    this.#nextId += calls.length;
    const body = calls.map(({ method, params }, i) => ({ jsonrpc: "2.0", id: first + i, method, params }));
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body.length === 1 ? body[0] : body),
      signal: AbortSignal.any([AbortSignal.timeout(this.#timeoutMs), closing]),
      redirect: "error",
    }).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
      throw new RpcUnreachable(cause || (error instanceof Error ? error.message : "no connection"));
    });
    const text = await readText(response, this.#maxBytes);
    if (calls.length > 1 && (response.status === 400 || response.status === 413)) throw new BatchRefused();
    if (!response.ok) throw new RpcUnreachable(`the node answered HTTP ${response.status}`);
    const answers: unknown = parse(text);
    if (calls.length > 1 && !Array.isArray(answers)) throw new BatchRefused();
    const list = Array.isArray(answers) ? answers : [answers];
    const byId = new Map(list.map((answer) => [isRecord(answer) ? answer.id : undefined, answer]));
    return calls.map((_, i) => outcomeOf(byId.get(first + i)));
  }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new RpcTooLarge(`the node's answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
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
    return {
      error: new RpcError(Number(answer.error.code ?? 0), String(answer.error.message ?? "unknown error")),
    };
  }
  if (!("result" in answer)) throw new RpcUnreachable("the node's answer has neither result nor error");
  return { result: answer.result as JsonValue };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
