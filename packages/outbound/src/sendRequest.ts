import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { assertUrlAllowed, createGuardedLookup } from "./addressGuard.ts";
import { isPublicAddress } from "./publicAddress.ts";

export interface OutboundRequestOptions {
  url: string;
  headers: Record<string, string>;
  /** Without a body the request is a GET. */
  body: string | undefined;
  /** Time limit of the whole exchange, in ms. */
  deadlineMs: number;
  /** Maximum size of the response, in bytes. */
  maxBytes: number;
  /** Whether private addresses are allowed, too. */
  allowPrivate: boolean;
}

export interface OutboundResponse {
  status: number;
  body: string;
}

/**
 * Sends a request to an untrusted URL: to public addresses only, which are checked when connecting (so that DNS
 * rebinding does not bypass the check), without following redirects, with limits for time and size. Rejects with Error.
 */
export async function sendRequest(options: OutboundRequestOptions): Promise<OutboundResponse> {
  const { body, deadlineMs, maxBytes, allowPrivate } = options;
  const url = new URL(options.url);
  const isAllowed = allowPrivate ? () => true : isPublicAddress;
  assertUrlAllowed(url, isAllowed);
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const signal = AbortSignal.timeout(deadlineMs);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(url, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        ...options.headers,
        ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
      },
      agent: false,
      signal,
      lookup: createGuardedLookup(isAllowed),
    });
    request.once("response", resolve);
    request.once("error", reject);
    request.end(body);
  });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) {
      response.destroy();
      throw new Error(`the response is larger than ${maxBytes} bytes`);
    }
    chunks.push(bytes);
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") };
}
