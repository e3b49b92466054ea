import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isPublicAddress } from "./addresses.ts";
import { assertAskable, guardedLookup } from "./guard.ts";

export interface PostOptions {
  url: string;
  headers: Record<string, string>;
  /** Without one it is a GET. */
  body: string | undefined;
  /** Of the whole exchange, in ms. */
  deadlineMs: number;
  /** Longest answer that is read. */
  maxBytes: number;
  /** Whether addresses inside of networks may be asked too. */
  allowPrivate: boolean;
}

export interface PostAnswer {
  status: number;
  body: string;
}

/**
 * Posts to, or reads from, a server that somebody else has named: to public addresses only, judged when they are
 * connected to (a name that changes its address gains nothing), without following redirects, within a
 * deadline and a size. Rejects with Error.
 */
export async function post(options: PostOptions): Promise<PostAnswer> {
  const { body, deadlineMs, maxBytes, allowPrivate } = options;
  const url = new URL(options.url);
  const isAllowed = allowPrivate ? () => true : isPublicAddress;
  assertAskable(url, isAllowed);
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
      lookup: guardedLookup(isAllowed),
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
      throw new Error(`the answer is larger than ${maxBytes} bytes`);
    }
    chunks.push(bytes);
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") };
}
