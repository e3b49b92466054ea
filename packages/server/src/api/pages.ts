import { existsSync } from "node:fs";
import { extname, join, sep } from "node:path";
import helmet from "@fastify/helmet";
import staticFiles from "@fastify/static";
import type { FastifyPluginAsync, FastifyReply } from "fastify";
import type { PageSources } from "../config/walletServices.ts";
import { sendNotFound } from "../core/http/notFound.ts";
import { requestTarget } from "../core/http/requestTarget.ts";
import { IMMUTABLE } from "../core/http/sendContent.ts";
import { AssetCache, sendCachedFile } from "./assetCache.ts";
import { pageHeaders } from "./pageHeaders.ts";
import { readPagePreloads } from "./pagePreloads.ts";

/** Files below this folder of an app have names that contain a hash of their content. */
const HASHED_FOLDER = "assets";
/**
 * What documents are sent with and has no effect on the scripts, styles and fonts of a page, which are all that a hashed
 * folder contains. A page loads dozens of them: with these headers a phone would load ten kilobytes more before it shows
 * the page. The scripts of workers need their own policy, so that no page may start one from such a folder.
 */
const DOCUMENT_HEADERS = [
  "content-security-policy",
  "origin-agent-cluster",
  "referrer-policy",
  "x-dns-prefetch-control",
  "x-download-options",
  "x-frame-options",
  "x-permitted-cross-domain-policies",
  "x-xss-protection",
];

/**
 * Creates the pages of the built apps, whose files were compressed when they were built. A path that is not that of a
 * file is that of a page of the studio (below /studio) or of the web app. The content security policy allows `sources`
 * besides this server. Of files with the same path, the one of the first folder is served.
 */
export function createPages(
  folders: readonly string[],
  { connect, frames, images }: PageSources,
): FastifyPluginAsync {
  const built = folders.filter((folder) => existsSync(folder));

  return async (app) => {
    if (built.length === 0) {
      app.setNotFoundHandler(sendNotFound);
      return;
    }
    await app.register(helmet, pageHeaders({ connect, frames, images }));
    const hashedFolders = built.map((folder) => join(folder, HASHED_FOLDER));
    await app.register(staticFiles, {
      root: built,
      index: "index.html",
      preCompressed: true,
      cacheControl: false,
      setHeaders(reply, path) {
        reply.header("vary", "accept-encoding");
        const isHashed = hashedFolders.some((folder) => path.startsWith(folder + sep));
        reply.header("cache-control", isHashed ? IMMUTABLE : "no-cache");
        if (isHashed) removeDocumentHeaders(reply);
      },
    });
    const assetCache = new AssetCache(hashedFolders);
    app.get<{ Params: { name: string } }>("/assets/:name", async (request, reply) => {
      const { name } = request.params;
      const file = await assetCache.find(name, request);
      if (!file) return reply.sendFile(`assets/${name}`);
      reply.headers({ vary: "accept-encoding", "cache-control": IMMUTABLE });
      removeDocumentHeaders(reply);
      return sendCachedFile(reply, file);
    });
    const preloadsOf = readPagePreloads(built);
    const sendPage = (path: string, reply: FastifyReply) => {
      const preloads = preloadsOf(path);
      if (preloads !== undefined) reply.header("link", preloads);
      const isStudio = path === "/studio" || path.startsWith("/studio/");
      return reply.sendFile(isStudio ? "studio.html" : "index.html");
    };
    app.get("/", (_, reply) => sendPage("/", reply));
    app.setNotFoundHandler((request, reply) => {
      const { path } = requestTarget(request);
      const isPage = (request.method === "GET" || request.method === "HEAD") && extname(path) === "";
      if (!isPage) return sendNotFound(request, reply);
      sendPage(path, reply);
    });
  };
}

function removeDocumentHeaders(reply: FastifyReply): void {
  for (const name of DOCUMENT_HEADERS) reply.raw.removeHeader(name);
}
