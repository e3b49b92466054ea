import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { PageSources } from "../config/walletServices.ts";

interface StaticFile {
  type: string;
  etag: string;
  cacheControl: string;
  plain: Buffer;
  /** Compressed on first use, because compressing everything at startup would take long. */
  compressed?: { brotli(): Buffer; gzip(): Buffer };
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

const COMPRESSIBLE = /^(text\/|application\/(json|manifest)|image\/svg)/;

/**
 * Serves the built apps from memory. Files are read at startup and compressed on first use. Any path that is not a file
 * returns the page of the studio (below /studio) or of the app. The content security policy allows `sources` besides
 * this server. Returns false if there is no app. Of files with the
 * same path, the one of the first folder is served.
 */
export function createStaticApp(folders: readonly string[], { connect, frames, images }: PageSources) {
  const files = new Map(folders.toReversed().flatMap((folder) => [...readFiles(folder)]));
  const index = files.get("/index.html");
  const studio = files.get("/studio.html");
  const policy = [
    "default-src 'self'",
    `connect-src ${["'self'", ...connect].join(" ")}`,
    `img-src ${["'self'", "data:", "blob:", ...images].join(" ")}`,
    ...(frames.length > 0 ? [`frame-src ${frames.join(" ")}`] : []),
    "style-src 'self' 'unsafe-inline'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join("; ");

  return function serve(message: IncomingMessage, response: ServerResponse, path: string): boolean {
    const file = files.get(path) ?? pageFor(path);
    if (!file || (message.method !== "GET" && message.method !== "HEAD")) return false;
    const headers: Record<string, string> = {
      "content-type": file.type,
      "cache-control": file.cacheControl,
      etag: file.etag,
      vary: "accept-encoding",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "content-security-policy": policy,
    };
    if (message.headers["if-none-match"] === file.etag) {
      response.writeHead(304, headers).end();
      return true;
    }
    const accepted = String(message.headers["accept-encoding"] ?? "");
    let content = file.plain;
    if (file.compressed && /\bbr\b/.test(accepted)) {
      content = file.compressed.brotli();
      headers["content-encoding"] = "br";
    } else if (file.compressed && /\bgzip\b/.test(accepted)) {
      content = file.compressed.gzip();
      headers["content-encoding"] = "gzip";
    }
    response.writeHead(200, { ...headers, "content-length": content.length });
    response.end(message.method === "HEAD" ? undefined : content);
    return true;
  };

  function pageFor(path: string): StaticFile | undefined {
    if (path === "/studio" || path.startsWith("/studio/")) return studio;
    return extname(path) === "" ? index : undefined;
  }
}

function readFiles(folder: string): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join("/")}`;
    files.set(path, readFile(file, path));
  }
  return files;
}

function readFile(file: string, path: string): StaticFile {
  const plain = readFileSync(file);
  const type = CONTENT_TYPES[extname(file)] ?? "application/octet-stream";
  // File names under /assets contain a hash of their content.
  const cacheControl = path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
  const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 20)}"`;
  if (!COMPRESSIBLE.test(type) || plain.length < 1024) return { type, etag, cacheControl, plain };
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
  return {
    type,
    etag,
    cacheControl,
    plain,
    compressed: {
      brotli: memoize(() => brotliCompressSync(plain, quality)),
      gzip: memoize(() => gzipSync(plain)),
    },
  };
}

function memoize<T>(compute: () => T): () => T {
  let cached: { value: T } | undefined;
  return () => {
    cached ??= { value: compute() };
    return cached.value;
  };
}
