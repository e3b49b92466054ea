import type { IncomingMessage, ServerResponse } from "node:http";
import { ErrorCode, ProtocolError } from "@purse/protocol";

/** Bytes that somebody has put on the server. */
export interface Content {
  /** In bytes. */
  size: number;
  /** Strong, with its quotes. */
  etag: string;
  lastModified?: Date;
  type: string;
  /** The name under which a browser keeps it. */
  fileName: string;
  /** Whether a browser may show it in place of keeping it. */
  isShown: boolean;
  /** Whether it is served on an origin where nothing but such content lives: no page is there that it could harm. */
  isIsolated?: boolean;
  cacheControl: string;
  /** The bytes from `start` to `end`, both included; a piece holds only until the next one is asked for. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** Whatever the content is, nothing in it runs: no scripts, no frames, no guessing of types. */
export const INERT_HEADERS = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'",
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag",
  "referrer-policy": "no-referrer",
} as const;

/** What no browser runs, applies or shows, whoever refers to it. */
const OPAQUE_TYPE = "application/octet-stream";

/** What pages may do with content of strangers: look at it, listen to it, read it, keep it. */
const PASSIVE_USES: ReadonlySet<string> = new Set([
  "",
  "audio",
  "document",
  "embed",
  "empty",
  "frame",
  "iframe",
  "image",
  "object",
  "track",
  "video",
]);

/**
 * Throws 403 where a browser says that a page of this origin is going to run or apply the content: as a script, style,
 * worker, manifest, font and so on. Types and sandbox keep older browsers from it, which do not say so.
 */
function assertPassiveUse({ headers }: IncomingMessage): void {
  const use = headers["sec-fetch-dest"];
  const isOwnPage = headers["sec-fetch-site"] === "same-origin";
  const isActive = isOwnPage && typeof use === "string" && !PASSIVE_USES.has(use);
  if (!isActive && headers["service-worker"] === undefined) return;
  throw new ProtocolError(
    ErrorCode.OPERATION_FORBIDDEN,
    "Files of users are not run or applied by pages of this origin",
    403,
  );
}

/**
 * Answers a GET or HEAD with content, or the part of it that is asked for. Content that browsers do not show has no
 * type that they could run or apply. Rejects when reading fails, with 403 where a page wants to run it.
 */
export async function sendContent(
  message: IncomingMessage,
  response: ServerResponse,
  content: Content,
): Promise<void> {
  const { size, etag, lastModified, isShown, isIsolated = false } = content;
  if (!isIsolated) assertPassiveUse(message);
  const headers: Record<string, string | number> = {
    ...INERT_HEADERS,
    "accept-ranges": "bytes",
    "cache-control": content.cacheControl,
    etag,
    ...(lastModified && { "last-modified": lastModified.toUTCString() }),
  };
  if (isKnown(message, etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const range = askedRange(message, content);
  if (range === "unsatisfiable") {
    response.writeHead(416, { ...headers, "content-range": `bytes */${size}`, "content-length": 0 }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  response.writeHead(range ? 206 : 200, {
    ...headers,
    "content-type": isShown || isIsolated ? content.type : OPAQUE_TYPE,
    "content-length": end - start + 1,
    "content-disposition": disposition(content),
    ...(range && { "content-range": `bytes ${start}-${end}/${size}` }),
  });
  if (message.method === "HEAD" || size === 0) {
    response.end();
    return;
  }
  await sendPieces(response, content.read(start, end));
}

/** Asks for a piece when the one before it is on its way. Whoever goes away in the middle has seen enough. */
async function sendPieces(response: ServerResponse, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  let goOn = () => {};
  response.once("close", () => goOn());
  response.on("error", () => goOn());
  try {
    for await (const piece of pieces) {
      await new Promise<void>((resolve) => {
        goOn = resolve;
        if (response.destroyed) resolve();
        else response.write(piece, () => resolve());
      });
      if (response.destroyed) return;
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

function isKnown({ headers }: IncomingMessage, etag: string): boolean {
  const known = headers["if-none-match"];
  if (known === undefined) return false;
  return known.split(",").some((each) => each.trim() === "*" || each.trim().replace(/^W\//, "") === etag);
}

type Range = { start: number; end: number };

/** The one range of the request; more than one, or one that is not understood, is the same as none. */
function askedRange(
  { headers }: IncomingMessage,
  { size, etag, lastModified }: Content,
): Range | "unsatisfiable" | undefined {
  const condition = headers["if-range"];
  if (condition !== undefined && condition !== etag && condition !== lastModified?.toUTCString()) return;
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range?.trim() ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= size ? "unsatisfiable" : { start, end };
}

function disposition({ fileName, isShown }: Content): string {
  const plain = fileName.replace(/[^\w. -]/g, "_");
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `${isShown ? "inline" : "attachment"}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
