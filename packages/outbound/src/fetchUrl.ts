import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { assertUrlAllowed, createGuardedLookup, OutboundRequestError } from "./addressGuard.ts";

export interface FetchUrlOptions {
  method: "GET" | "POST";
  url: string;
  /** Maximum size of the content, in bytes. */
  maxBytes: number;
  /** Aborts the request. */
  signal: AbortSignal;
  /** Whether requests to an IP address are allowed. */
  isAllowed: (address: string) => boolean;
  /** The host of the operator's own service, which may have any address. */
  ownHost?: string;
}

const MAX_REDIRECTS = 3;

/**
 * Fetches the content of an untrusted URL: addresses are checked when connecting, also those of redirects. Content is
 * not decompressed. Rejects with OutboundRequestError if a retry would fail as well, with any other Error if it may
 * succeed.
 */
export async function fetchUrl(options: FetchUrlOptions): Promise<Buffer> {
  let url = new URL(options.url);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await request(url, options);
    const { statusCode: status = 0, headers } = response;
    if (status >= 200 && status < 300) return contentOf(response, options.maxBytes);
    response.destroy();
    if (status < 300 || status >= 400 || headers.location === undefined)
      throw new Error(`the server responded with ${status}`);
    if (!URL.canParse(headers.location, url))
      throw new OutboundRequestError("it redirects to an invalid URL");
    url = new URL(headers.location, url);
  }
  throw new OutboundRequestError(`it redirects more than ${MAX_REDIRECTS} times`);
}

function request(
  url: URL,
  { method, signal, isAllowed, ownHost }: FetchUrlOptions,
): Promise<IncomingMessage> {
  const isAllowedAddress = url.host === ownHost ? () => true : isAllowed;
  assertUrlAllowed(url, isAllowedAddress);
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = send(url, {
      method,
      headers: {
        accept: "application/json, */*;q=0.5",
        "accept-encoding": "identity",
        "user-agent": "purse",
      },
      agent: false,
      signal,
      lookup: createGuardedLookup(isAllowedAddress),
    });
    outgoing.once("response", resolve);
    outgoing.on("error", reject);
    outgoing.end();
  });
}

async function contentOf(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const contentTooLarge = () => {
    response.destroy();
    return new OutboundRequestError(`the content is larger than ${maxBytes} bytes`);
  };
  if (Number(response.headers["content-length"] ?? 0) > maxBytes) throw contentTooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) throw contentTooLarge();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
