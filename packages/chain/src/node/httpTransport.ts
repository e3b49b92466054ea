import {
  type ClientRequest,
  type IncomingMessage,
  Agent as PlainAgent,
  request as requestPlain,
} from "node:http";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { RpcResponseTooLargeError, RpcUnreachableError } from "./rpcErrors.ts";
import type { RawResponse, Transport } from "./transport.ts";

/** How long an unused connection is kept, in ms: shorter than most servers keep it. */
const KEEP_ALIVE_MS = 4_000;
/** Errors of a connection that the server has closed. */
const CLOSED: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE"]);

/** Sends a request to the URL of the node. */
type SendRequest = (length: number, signal: AbortSignal) => ClientRequest;

/**
 * Sends JSON-RPC messages over HTTP without following redirects. `fetch` takes four times the CPU time for the short
 * messages of which most are, and its library takes memory in each thread.
 */
export class HttpTransport implements Transport {
  readonly #url: string;
  readonly #env: NodeJS.ProcessEnv;
  #requester: Promise<{ send: SendRequest; close: () => void }> | undefined;

  /** The environment names a proxy, which is used if it has `NODE_USE_ENV_PROXY=1`, as `fetch` does. */
  constructor(url: string, env = process.env) {
    this.#url = url;
    this.#env = env;
  }

  async send(
    text: string,
    _ids: readonly number[],
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<RawResponse> {
    try {
      this.#requester ??= createRequester(this.#url, this.#env);
      const { send } = await this.#requester;
      const body = Buffer.from(text);
      const response = await firstResponse(() => send(body.length, signal), body);
      return { status: response.statusCode ?? 0, text: await readText(decompressed(response), maxBytes) };
    } catch (error) {
      if (error instanceof RpcUnreachableError) throw error;
      throw new RpcUnreachableError(messageOf(signal.aborted ? signal.reason : error));
    }
  }

  close(): void {
    this.#requester?.then(
      ({ close }) => close(),
      () => undefined,
    );
    this.#requester = undefined;
  }
}

async function createRequester(
  address: string,
  env: NodeJS.ProcessEnv,
): Promise<{ send: SendRequest; close: () => void }> {
  const url = new URL(address);
  const proxyEnv = env.NODE_USE_ENV_PROXY === "1" ? env : undefined;
  const options = { keepAlive: true, timeout: KEEP_ALIVE_MS, proxyEnv };
  const headers = (length: number) => ({
    "content-type": "application/json",
    "content-length": length,
    accept: "*/*",
    "accept-encoding": "gzip, deflate, br",
    // Some services that protect nodes refuse requests without it.
    "user-agent": "purse",
  });
  if (url.protocol === "https:") {
    // Loads the modules for TLS only if they are needed.
    const { Agent, request } = await import("node:https");
    const agent = new Agent(options);
    return {
      send: (length, signal) => request(url, { method: "POST", agent, signal, headers: headers(length) }),
      close: () => agent.destroy(),
    };
  }
  const agent = new PlainAgent(options);
  return {
    send: (length, signal) => requestPlain(url, { method: "POST", agent, signal, headers: headers(length) }),
    close: () => agent.destroy(),
  };
}

/** Sends a request, and sends it again if the server has meanwhile closed the unused connection that it was sent over. */
async function firstResponse(send: () => ClientRequest, body: Uint8Array): Promise<IncomingMessage> {
  for (;;) {
    const request = send();
    try {
      return await responseTo(request, body);
    } catch (error) {
      if (!request.reusedSocket || !isClosed(error)) throw error;
    }
  }
}

function responseTo(request: ClientRequest, body: Uint8Array): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on("response", resolve);
    // Also after the response has begun.
    request.on("error", reject);
    // Without an error if the server switches to another protocol.
    request.on("close", () => reject(new Error("the connection to the node was closed")));
    request.end(body);
  });
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && "code" in error && CLOSED.has(error.code);
}

function messageOf(reason: unknown): string {
  // A host with several addresses has an error for each.
  if (reason instanceof AggregateError && reason.message === "")
    return reason.errors.map(messageOf).join("; ");
  return (reason instanceof Error && reason.message) || "the connection to the node failed";
}

/** Errors of the response end the decompressed stream as well. */
function decompressed(response: IncomingMessage): Readable {
  const decompressor = decompressorFor(response.headers["content-encoding"]);
  return decompressor ? pipeline(response, decompressor, () => undefined) : response;
}

function decompressorFor(encoding: string | undefined) {
  switch (encoding?.toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      return undefined;
  }
}

async function readText(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes)
      throw new RpcResponseTooLargeError(`the node's response is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
