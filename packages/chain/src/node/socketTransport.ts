import { tryParseJson } from "@purse/protocol";
import { WebSocket } from "ws";
import { RpcResponseTooLargeError, RpcUnreachableError } from "./rpcErrors.ts";
import type { RawResponse, Transport } from "./transport.ts";

const HANDSHAKE_MS = 10_000;

interface PendingCall {
  maxBytes: number;
  resolve(response: RawResponse): void;
  reject(error: Error): void;
}

/** One socket for all calls, opened on demand and reopened after a connection loss. */
export class SocketTransport implements Transport {
  readonly #url: string;
  readonly #maxBytes: number;
  #socket: Promise<WebSocket> | undefined;
  readonly #pending = new Map<number, PendingCall>();

  constructor(url: string, maxBytes: number) {
    this.#url = url;
    this.#maxBytes = maxBytes;
  }

  async send(
    text: string,
    ids: readonly number[],
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<RawResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<RawResponse>();
    const onAbort = () => reject(new RpcUnreachableError("the request to the node timed out"));
    signal.addEventListener("abort", onAbort, { once: true });
    for (const id of ids) this.#pending.set(id, { maxBytes, resolve, reject });
    try {
      if (signal.aborted) onAbort();
      else this.#open().then((socket) => socket.send(text), reject);
      return await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      for (const id of ids) this.#pending.delete(id);
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
      let failure = new RpcUnreachableError("the connection to the node was lost");
      socket.on("open", () => resolve(socket));
      socket.on("message", (data, isBinary) => {
        if (!isBinary) this.#receive(String(data));
      });
      socket.on("error", (error) => {
        if ("code" in error && error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH")
          failure = new RpcResponseTooLargeError(
            `the node's response is larger than ${this.#maxBytes} bytes`,
          );
      });
      socket.on("close", () => {
        this.#socket = undefined;
        reject(failure);
        for (const pending of this.#pending.values()) pending.reject(failure);
      });
    });
    return this.#socket;
  }

  #receive(data: string): void {
    const id = firstId(data);
    // Nodes respond without an id to messages that they cannot parse.
    if (id === null) for (const each of this.#pending.values()) each.resolve({ status: 200, text: data });
    const pending = typeof id === "number" ? this.#pending.get(id) : undefined;
    if (!pending) return;
    if (data.length > pending.maxBytes) {
      pending.reject(
        new RpcResponseTooLargeError(`the node's response is larger than ${pending.maxBytes} bytes`),
      );
    } else pending.resolve({ status: 200, text: data });
  }
}

/** The id of a response or of the first one in a batch; undefined for other messages. */
function firstId(text: string): number | null | undefined {
  const response = tryParseJson(text);
  const first: unknown = Array.isArray(response) ? response[0] : response;
  if (typeof first !== "object" || first === null || !("id" in first)) return undefined;
  return typeof first.id === "number" || first.id === null ? first.id : undefined;
}
