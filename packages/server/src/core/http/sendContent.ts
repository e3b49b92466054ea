import type { IncomingMessage, ServerResponse } from "node:http";
import { operationForbidden } from "../operationForbidden.ts";

/** User content to be served. */
export interface Content {
  /** In bytes. */
  size: number;
  /** Strong, with its quotes. */
  etag: string;
  lastModified?: Date;
  type: string;
  /** The file name for downloads. */
  fileName: string;
  /** Whether a browser may display it inline instead of downloading it. */
  isInline: boolean;
  /** Whether it is served on an origin with user content only, where it cannot harm any page. */
  isIsolated?: boolean;
  /** Whether downloads keep their type, but for one that pages could run or apply. */
  keepsType?: boolean;
  cacheControl: string;
  /** Yields the bytes from `start` to `end`, both inclusive; a chunk is valid only until the next one is requested. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** The cache-control of what never changes under its URL. */
export const IMMUTABLE = "public, max-age=31536000, immutable";

/** Headers that keep content from running anything: no scripts, no frames, no MIME sniffing. */
export const INERT_HEADERS = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'",
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag",
  "referrer-policy": "no-referrer",
} as const;

/** A type that no browser runs, applies or displays. */
const OPAQUE_TYPE = "application/octet-stream";
/** Types that pages run or apply: scripts, styles and fonts. */
const APPLIED_TYPE = /^(?:font\/|text\/(?:css|javascript)|application\/(?:wasm|xml|xslt\+xml))/;

/** Fetch destinations that only display, play or download content. */
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
 * Throws 403 if a page of this origin is going to run or apply the content: as a script, style, worker, manifest, font
 * and so on. Types and the sandbox protect older browsers, which do not send the destination.
 */
function assertPassiveUse({ headers }: IncomingMessage): void {
  const destination = headers["sec-fetch-dest"];
  const isOwnPage = headers["sec-fetch-site"] === "same-origin";
  const isActive = isOwnPage && typeof destination === "string" && !PASSIVE_USES.has(destination);
  if (!isActive && headers["service-worker"] === undefined) return;
  throw operationForbidden("User files must not be run or applied by pages of this origin", 403);
}

/**
 * Responds to a GET or HEAD request with content, or the requested range of it. Content that is not displayed inline
 * gets a type that browsers do not run or apply, or keeps it within a sandbox. Rejects if reading fails, with 403 if a page wants to run it.
 */
export async function sendContent(
  message: IncomingMessage,
  response: ServerResponse,
  content: Content,
): Promise<void> {
  const { size, etag, lastModified, isInline, isIsolated = false, keepsType = false } = content;
  if (!isIsolated) assertPassiveUse(message);
  const headers: Record<string, string | number> = {
    ...INERT_HEADERS,
    "accept-ranges": "bytes",
    "cache-control": content.cacheControl,
    etag,
    ...(lastModified && { "last-modified": lastModified.toUTCString() }),
  };
  if (isNotModified(message, etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const range = parseRange(message, content);
  if (range === "unsatisfiable") {
    response.writeHead(416, { ...headers, "content-range": `bytes */${size}`, "content-length": 0 }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  const hasOwnType = isInline || isIsolated || (keepsType && !APPLIED_TYPE.test(content.type));
  response.writeHead(range ? 206 : 200, {
    ...headers,
    "content-type": hasOwnType ? content.type : OPAQUE_TYPE,
    "content-length": end - start + 1,
    "content-disposition": contentDisposition(content),
    ...(range && { "content-range": `bytes ${start}-${end}/${size}` }),
  });
  if (message.method === "HEAD" || size === 0) {
    response.end();
    return;
  }
  await sendChunks(response, content.read(start, end));
}

/** Requests a chunk when the previous one has been written. Stops when the client disconnects. */
async function sendChunks(response: ServerResponse, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  let resume = () => {};
  response.once("close", () => resume());
  response.on("error", () => resume());
  try {
    for await (const chunk of chunks) {
      await new Promise<void>((resolve) => {
        resume = resolve;
        if (response.destroyed) resolve();
        else response.write(chunk, () => resolve());
      });
      if (response.destroyed) return;
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

function isNotModified({ headers }: IncomingMessage, etag: string): boolean {
  const ifNoneMatch = headers["if-none-match"];
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch
    .split(",")
    .some((each) => each.trim() === "*" || each.trim().replace(/^W\//, "") === etag);
}

type Range = { start: number; end: number };

/** Parses the range of the request; several ranges and invalid ones are ignored. */
function parseRange(
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

function contentDisposition({ fileName, isInline }: Content): string {
  const plain = fileName.replace(/[^\w. -]/g, "_");
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `${isInline ? "inline" : "attachment"}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
