import type { JsonValue } from "@purse/protocol";

/** A node that cannot be reached, or whose answer is no JSON-RPC. Another try may succeed. */
export class RpcUnreachable extends Error {
  override readonly name = "RpcUnreachable";
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
  /** For one HTTP request, in ms. */
  timeoutMs?: number;
  /** Largest answer that is read, in bytes. */
  maxBytes?: number;
  /** Calls in one HTTP request. */
  maxBatch?: number;
}

/** JSON-RPC 2.0 over HTTP to the nodes of one chain: batches, deadline, size cap, failover. */
export class Rpc {
  readonly #urls: readonly string[];
  readonly #timeoutMs: number;
  readonly #maxBytes: number;
  readonly #maxBatch: number;
  /** The node that answered last. */
  #current = 0;
  #nextId = 1;

  constructor(urls: readonly string[], options: RpcOptions = {}) {
    this.#urls = urls;
    this.#timeoutMs = options.timeoutMs ?? 15_000;
    this.#maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
    this.#maxBatch = options.maxBatch ?? 100;
  }

  /** Rejects with RpcError or RpcUnreachable. */
  async call(method: string, params: JsonValue[]): Promise<JsonValue> {
    const [outcome] = await this.batch([{ method, params }]);
    if (!outcome) throw new RpcUnreachable("the node gave no answer");
    if ("error" in outcome) throw outcome.error;
    return outcome.result;
  }

  /** The outcomes in the order of the calls. Rejects with RpcUnreachable where no node answers. */
  async batch(calls: RpcCall[]): Promise<RpcOutcome[]> {
    const outcomes: RpcOutcome[] = [];
    for (let at = 0; at < calls.length; at += this.#maxBatch) {
      outcomes.push(...(await this.#post(calls.slice(at, at + this.#maxBatch))));
    }
    return outcomes;
  }

  /** Each node is tried once, beginning with the one that answered last. */
  async #post(calls: RpcCall[]): Promise<RpcOutcome[]> {
    let reason = "no node is configured";
    for (let i = 0; i < this.#urls.length; i++) {
      const index = (this.#current + i) % this.#urls.length;
      try {
        const outcomes = await this.#postTo(this.#urls[index] ?? "", calls);
        this.#current = index;
        return outcomes;
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
      }
    }
    throw new RpcUnreachable(reason);
  }

  async #postTo(url: string, calls: RpcCall[]): Promise<RpcOutcome[]> {
    const first = this.#nextId;
    this.#nextId += calls.length;
    const body = calls.map(({ method, params }, i) => ({ jsonrpc: "2.0", id: first + i, method, params }));
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body.length === 1 ? body[0] : body),
      signal: AbortSignal.timeout(this.#timeoutMs),
      redirect: "error",
    }).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
      throw new RpcUnreachable(cause || (error instanceof Error ? error.message : "no connection"));
    });
    const text = await readText(response, this.#maxBytes);
    if (!response.ok) throw new RpcUnreachable(`the node answered HTTP ${response.status}`);
    const answers: unknown = parse(text);
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
    if (size > maxBytes) throw new RpcUnreachable(`the node's answer is larger than ${maxBytes} bytes`);
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
