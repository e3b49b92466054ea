import { RpcTooLarge, RpcUnreachable } from "./rpcErrors.ts";

/** What a node answered: the HTTP status (200 over WebSocket) and the text. */
export interface RawAnswer {
  status: number;
  text: string;
}

/** Carries JSON-RPC texts to one node. */
export interface Transport {
  /** Rejects with RpcUnreachable; `ids` are those of the calls in the text. */
  send(text: string, ids: readonly number[], signal: AbortSignal): Promise<RawAnswer>;
  close(): void;
}

/** By the URL's scheme: http(s) or ws(s). `maxBytes` is the largest answer that is read. */
export function openTransport(url: string, maxBytes: number): Transport {
  return /^wss?:/.test(url) ? new SocketTransport(url, maxBytes) : httpTransport(url, maxBytes);
}

function httpTransport(url: string, maxBytes: number): Transport {
  return {
    async send(text, _ids, signal) {
      const headers = { "content-type": "application/json" };
      const init: RequestInit = { method: "POST", headers, body: text, signal, redirect: "error" };
      try {
        const response = await fetch(url, init);
        return { status: response.status, text: await readText(response, maxBytes) };
      } catch (error) {
        if (error instanceof RpcUnreachable) throw error;
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
        throw new RpcUnreachable(cause || (error instanceof Error ? error.message : "no connection"));
      }
    },
    close() {},
  };
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

interface Waiting {
  resolve(answer: RawAnswer): void;
  reject(error: Error): void;
}

/** One socket for all calls, opened when it is needed and again after it was lost. */
class SocketTransport implements Transport {
  readonly #url: string;
  readonly #maxBytes: number;
  #socket: Promise<WebSocket> | undefined;
  readonly #waiting = new Map<number, Waiting>();

  constructor(url: string, maxBytes: number) {
    this.#url = url;
    this.#maxBytes = maxBytes;
  }

  async send(text: string, ids: readonly number[], signal: AbortSignal): Promise<RawAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
    const end = () => reject(new RpcUnreachable("the node did not answer in time"));
    signal.addEventListener("abort", end, { once: true });
    for (const id of ids) this.#waiting.set(id, { resolve, reject });
    try {
      if (signal.aborted) end();
      else this.#open().then((socket) => socket.send(text), reject);
      return await promise;
    } finally {
      signal.removeEventListener("abort", end);
      for (const id of ids) this.#waiting.delete(id);
    }
  }

  close(): void {
    this.#socket?.then(
      (socket) => socket.close(),
      () => undefined,
    );
    this.#socket = undefined;
  }

  #open(): Promise<WebSocket> {
    this.#socket ??= new Promise<WebSocket>((resolve, reject) => {
      const socket = new WebSocket(this.#url);
      socket.addEventListener("open", () => resolve(socket));
      socket.addEventListener("message", ({ data }) => this.#take(data));
      const lost = () => {
        this.#socket = undefined;
        const error = new RpcUnreachable("the connection to the node was lost");
        reject(error);
        for (const waiting of this.#waiting.values()) waiting.reject(error);
      };
      socket.addEventListener("error", lost);
      socket.addEventListener("close", lost);
    });
    return this.#socket;
  }

  #take(data: unknown): void {
    if (typeof data !== "string") return;
    if (data.length > this.#maxBytes) {
      this.#refuse(data);
      return;
    }
    const id = firstId(data);
    // What a node cannot read at all it answers without an id.
    if (id === null) for (const each of this.#waiting.values()) each.resolve({ status: 200, text: data });
    const waiting = typeof id === "number" ? this.#waiting.get(id) : undefined;
    waiting?.resolve({ status: 200, text: data });
  }

  /** What is too large is not parsed: whose answer it is, its beginning or its end says. */
  #refuse(data: string): void {
    const error = new RpcTooLarge(`the node's answer is larger than ${this.#maxBytes} bytes`);
    const id = /"id"\s*:\s*(\d+)/.exec(`${data.slice(0, 200)} ${data.slice(-200)}`)?.[1];
    const known = id === undefined ? undefined : this.#waiting.get(Number(id));
    for (const waiting of known ? [known] : this.#waiting.values()) waiting.reject(error);
  }
}

/** An id by which an answer, or the first of a batch, is known; undefined for what nobody has asked. */
function firstId(text: string): number | null | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    const first: unknown = Array.isArray(answer) ? answer[0] : answer;
    if (typeof first !== "object" || first === null || !("id" in first)) return undefined;
    return typeof first.id === "number" || first.id === null ? first.id : undefined;
  } catch {
    return undefined;
  }
}
