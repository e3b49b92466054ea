import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { assertAskable, guardedLookup, OutboundRefused } from "./guard.ts";

export interface ReadOptions {
  method: "GET" | "POST";
  url: string;
  /** Longest content that is read, in bytes. */
  maxBytes: number;
  /** Ends it. */
  signal: AbortSignal;
  /** Whether an IP address may be asked. */
  isAllowed: (address: string) => boolean;
  /** The host of the operator's own service, which may be anywhere. */
  ownHost?: string;
}

const MAX_REDIRECTS = 3;

/**
 * Reads what is at an address that somebody else has named: addresses are judged when they are connected to, those of
 * redirects like the first. Content comes as it is: nothing is unpacked. Rejects with OutboundRefused for what another
 * try would not bring either, with any other Error where it may.
 */
export async function readFrom(options: ReadOptions): Promise<Buffer> {
  let url = new URL(options.url);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await ask(url, options);
    const { statusCode: status = 0, headers } = response;
    if (status >= 200 && status < 300) return contentOf(response, options.maxBytes);
    response.destroy();
    if (status < 300 || status >= 400 || headers.location === undefined)
      throw new Error(`the server answers ${status}`);
    if (!URL.canParse(headers.location, url)) throw new OutboundRefused("it redirects to no address");
    url = new URL(headers.location, url);
  }
  throw new OutboundRefused(`it redirects more than ${MAX_REDIRECTS} times`);
}

function ask(url: URL, { method, signal, isAllowed, ownHost }: ReadOptions): Promise<IncomingMessage> {
  const judge = url.host === ownHost ? () => true : isAllowed;
  assertAskable(url, judge);
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method,
      headers: {
        accept: "application/json, */*;q=0.5",
        "accept-encoding": "identity",
        "user-agent": "purse",
      },
      agent: false,
      signal,
      lookup: guardedLookup(judge),
    });
    request.once("response", resolve);
    request.on("error", reject);
    request.end();
  });
}

async function contentOf(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => {
    response.destroy();
    return new OutboundRefused(`the content is larger than ${maxBytes} bytes`);
  };
  if (Number(response.headers["content-length"] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
