import { WebSocket } from "ws";
import { RpcTooLarge, RpcUnreachable } from "./rpcErrors.ts";

/** What a node answered: the HTTP status (200 over WebSocket) and the text. */
export interface RawAnswer {
  status: number;
  text: string;
}

/** Carries JSON-RPC texts to one node. */
export interface Transport {
  /**
   * Rejects with RpcUnreachable, with RpcTooLarge for answers of more than `maxBytes`; `ids` are those of the calls in the
   * text.
   */
  send(text: string, ids: readonly number[], maxBytes: number, signal: AbortSignal): Promise<RawAnswer>;
  close(): void;
}

/** By the URL's scheme: http(s) or ws(s). `maxBytes` is the largest answer that is ever read. */
export function openTransport(url: string, maxBytes: number): Transport {
  return /^wss?:/.test(url) ? new SocketTransport(url, maxBytes) : httpTransport(url);
}

function httpTransport(url: string): Transport {
  return {
    async send(text, _ids, maxBytes, signal) {
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
  maxBytes: number;
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

  async send(
    text: string,
    ids: readonly number[],
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<RawAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
    const end = () => reject(new RpcUnreachable("the node did not answer in time"));
    signal.addEventListener("abort", end, { once: true });
    for (const id of ids) this.#waiting.set(id, { maxBytes, resolve, reject });
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
      const socket = new WebSocket(this.#url, {
        handshakeTimeout: HANDSHAKE_MS,
        maxPayload: this.#maxBytes,
        perMessageDeflate: false,
      });
      let failure = new RpcUnreachable("the connection to the node was lost");
      socket.on("open", () => resolve(socket));
      socket.on("message", (data, isBinary) => {
        if (!isBinary) this.#take(String(data));
      });
      socket.on("error", (error) => {
        if ("code" in error && error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH")
          failure = new RpcTooLarge(`the node's answer is larger than ${this.#maxBytes} bytes`);
      });
      socket.on("close", () => {
        this.#socket = undefined;
        reject(failure);
        for (const waiting of this.#waiting.values()) waiting.reject(failure);
      });
    });
    return this.#socket;
  }

  #take(data: string): void {
    const id = firstId(data);
    // What a node cannot read at all it answers without an id.
    if (id === null) for (const each of this.#waiting.values()) each.resolve({ status: 200, text: data });
    const waiting = typeof id === "number" ? this.#waiting.get(id) : undefined;
    if (!waiting) return;
    if (data.length > waiting.maxBytes) {
      waiting.reject(new RpcTooLarge(`the node's answer is larger than ${waiting.maxBytes} bytes`));
    } else waiting.resolve({ status: 200, text: data });
  }
}

const HANDSHAKE_MS = 10_000;

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
