import { stat } from "node:fs/promises";
import { join } from "node:path";
import compress from "@fastify/compress";
import helmet from "@fastify/helmet";
import staticFiles from "@fastify/static";
import { escapeHtml } from "@purse/protocol";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { targetBelow } from "../core/http/requestTarget.ts";
import { IMMUTABLE } from "../core/http/sendContent.ts";
import { pageHeaders } from "./pageHeaders.ts";

/** There is no documentation, or it cannot be built. Its message is for readers. */
export class DocsUnavailableError extends Error {}

/** Where the documentation site of this server's version is. */
export interface DocsSource {
  /**
   * Returns the folder of the built site; undefined as long as it is being built. Rejects with DocsUnavailableError if there
   * is none.
   */
  open(): Promise<string | undefined>;
}

const PATH = "/docs";
const NOT_FOUND_PAGE = "404.html";
/** Files below this folder have names that contain a hash of their content. */
const HASHED_FOLDER = "assets/";
/** A part of a path of the site: no folder above, no hidden file, and nothing that some file system reads in another way. */
const PART = /^[\w@$-][\w@$.-]*$/;
const COMPRESSED = /^(?:text\/(?!event-stream)|application\/(?:javascript|json)|image\/svg)/;
const RETRY_SECONDS = 3;

/**
 * Serves the documentation below `/docs`: pages with and without `.html`, and the site's own page for what does not exist.
 * Nothing is read or built before the first request.
 */
export function createDocsPages(source: DocsSource): FastifyPluginAsync {
  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.header("cache-control", "no-cache");
    const target = targetBelow(request, PATH);
    let site: string | undefined;
    try {
      site = await source.open();
    } catch (error) {
      if (!(error instanceof DocsUnavailableError)) throw error;
      return sendNotice(reply, "There is no documentation here", error.message);
    }
    if (site === undefined) {
      reply.headers({ "retry-after": RETRY_SECONDS, refresh: RETRY_SECONDS });
      const text = "This takes a minute or two, once. The page then appears here by itself.";
      return sendNotice(reply, "The documentation is being built", text);
    }
    const search = target?.search ? `?${target.search}` : "";
    if (request.raw.url === PATH || request.raw.url?.startsWith(`${PATH}?`))
      return reply.redirect(`${PATH}/${search}`, 301);
    const found = target && (await find(site, target.path));
    if (!found) return reply.code(404).sendFile(NOT_FOUND_PAGE, site);
    if (found.isElsewhere) return reply.redirect(`${PATH}/${found.path}${search}`, 301);
    if (found.path.startsWith(HASHED_FOLDER)) reply.header("cache-control", IMMUTABLE);
    return reply.sendFile(found.path, site);
  }

  return async (app) => {
    await app.register(helmet, pageHeaders({ connect: [], frames: [], images: [] }));
    await app.register(compress, {
      encodings: ["zstd", "gzip"],
      customTypes: COMPRESSED,
      globalDecompression: false,
    });
    await app.register(staticFiles, { serve: false, cacheControl: false });
    for (const url of [PATH, `${PATH}/*`]) app.get(url, { exposeHeadRoute: true }, handle);
  };
}

interface Found {
  /** Below the folder of the site, without a slash in front; or the path to go to. */
  path: string;
  isElsewhere?: boolean;
}

/** Finds what the site has at a path below `/docs`, as it was sent. */
async function find(site: string, path: string): Promise<Found | undefined> {
  const parts = partsOf(path);
  if (!parts) return undefined;
  const isFolder = parts.at(-1) === "";
  const name = (isFolder ? parts.slice(0, -1) : parts).join("/");
  const index = name === "" ? "index.html" : `${name}/index.html`;
  if (isFolder) {
    if (await isFile(join(site, index))) return { path: index };
    return (await isFile(join(site, `${name}.html`))) ? { path: name, isElsewhere: true } : undefined;
  }
  for (const file of [name, `${name}.html`]) if (await isFile(join(site, file))) return { path: file };
  return (await isFile(join(site, index))) ? { path: `${name}/`, isElsewhere: true } : undefined;
}

/** The parts of a path, of which the last is empty after a slash; undefined for a path that no file of the site has. */
function partsOf(path: string): string[] | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  const parts = decoded.slice(1).split("/");
  const isSafe = parts.every((part, i) => PART.test(part) || (part === "" && i === parts.length - 1));
  return isSafe ? parts : undefined;
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ?? false;
}

/** Tells readers why there are no pages yet. */
function sendNotice(reply: FastifyReply, title: string, text: string): FastifyReply {
  return reply
    .code(503)
    .type("text/html; charset=utf-8")
    .send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>body { font: 1rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto 0; padding: 0 1.5rem }</style>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
</html>
`);
}
