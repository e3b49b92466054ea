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

/** How long an unused connection is kept, in ms: shorter than servers keep it, which would close it during a request. */
const KEEP_ALIVE_MS = 4_000;

/** Sends a request to the URL of the node. */
type SendRequest = (length: number, signal: AbortSignal) => ClientRequest;

/**
 * Sends JSON-RPC messages over HTTP without following redirects. `fetch` takes four times the CPU time for the short
 * messages of which most are, and its library takes memory in each thread.
 */
export class HttpTransport implements Transport {
  readonly #url: string;
  #requester: Promise<{ send: SendRequest; close: () => void }> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async send(
    text: string,
    _ids: readonly number[],
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<RawResponse> {
    try {
      this.#requester ??= createRequester(this.#url);
      const { send } = await this.#requester;
      const body = Buffer.from(text);
      const response = await responseTo(send(body.length, signal), body);
      return { status: response.statusCode ?? 0, text: await readText(decompressed(response), maxBytes) };
    } catch (error) {
      if (error instanceof RpcUnreachableError) throw error;
      const reason: unknown = signal.aborted ? signal.reason : error;
      throw new RpcUnreachableError(
        (reason instanceof Error && reason.message) || "the connection to the node failed",
      );
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

async function createRequester(address: string): Promise<{ send: SendRequest; close: () => void }> {
  const url = new URL(address);
  const options = { keepAlive: true, timeout: KEEP_ALIVE_MS };
  const headers = (length: number) => ({
    "content-type": "application/json",
    "content-length": length,
    "accept-encoding": "gzip, deflate, br",
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

function responseTo(request: ClientRequest, body: Uint8Array): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on("response", resolve);
    // Also after the response has begun.
    request.on("error", reject);
    request.end(body);
  });
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
