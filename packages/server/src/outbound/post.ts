import { lookup } from "node:dns";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { isPublicAddress } from "./addresses.ts";

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
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new Error("only http and https are asked");
  if (url.username !== "" || url.password !== "") throw new Error("the address must not hold a password");
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  // Addresses in numbers are not looked up: they are judged here.
  const isNumeric = /^\[|^[\d.]+$/.test(url.hostname);
  if (isNumeric && !allowPrivate && !isPublicAddress(url.hostname)) throw new Error(REFUSED);
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
      ...(!allowPrivate && { lookup: publicLookup }),
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

const REFUSED = "addresses inside of networks are not asked";

/** Looks a name up once; the connection goes to what was judged here. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, "", 0);
    if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address))) {
      return callback(new Error(REFUSED), "", 0);
    }
    if (options.all) return callback(null, addresses);
    const [first] = addresses;
    callback(null, first?.address ?? "", first?.family ?? 0);
  });
};
