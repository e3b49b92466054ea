import type { IncomingMessage, ServerResponse } from "node:http";
import { ErrorCode } from "@purse/protocol";
import { addressKey } from "../core/http/address.ts";
import type { ApiReply } from "../core/http/apiRoute.ts";
import { chunksLength, sendChunks } from "../core/http/chunkedReply.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import { errorReply } from "../core/http/reply.ts";
import { RequestScope, type RequestScopeOptions, runInScope } from "../core/limits/requestScope.ts";
import { IPFS_PATH } from "../data/fileUrls.ts";
import type { ApiName } from "../monitoring/metrics.ts";
import { DATA_PATH, MOUNT_PATH, STUDIO_PATH } from "./paths.ts";

type StreamHandler = (
  message: IncomingMessage,
  response: ServerResponse,
  subPath: string,
  search: string,
) => Promise<void>;
type ReplyHandler = (message: IncomingMessage, subPath: string, search: string) => Promise<ApiReply>;

/** The APIs of the server. Each receives the path below its mount path, without the query string. */
export interface AppDependencies {
  clientAddressOf: ClientAddressOf;
  parseApi: ReplyHandler;
  /** Limits the replies of the Parse API that are held in memory. */
  replyLimits: Pick<RequestScopeOptions, "budget" | "maxAnswerBytes">;
  files: StreamHandler;
  adminApi: StreamHandler;
  dataApi: ReplyHandler;
  dataDocs(method: string | undefined, subPath: string): ApiReply | undefined;
  /** Returns the handler of an NFT's image; undefined for other paths below that of the data API. */
  nftImage(
    subPath: string,
  ): ((message: IncomingMessage, response: ServerResponse, search: string) => Promise<void>) | undefined;
  ipfs: StreamHandler;
  providerApi(message: IncomingMessage, path: string): Promise<ApiReply | undefined>;
  /** Replies by exact path. */
  endpoints: Record<string, () => Promise<ApiReply>>;
  metrics(message: IncomingMessage): Promise<ApiReply>;
  /** Returns true if the app has a file or a page at that path and has responded. */
  staticApp(message: IncomingMessage, response: ServerResponse, path: string): boolean;
  /** Called after every response; `startedAt` as `performance.now()`. */
  onResponse(api: ApiName, method: string | undefined, status: number, startedAt: number, path: string): void;
  report(error: unknown, during: string): void;
}

/** Creates the HTTP application, which routes each request to its API by path. */
export function createApp(
  dependencies: AppDependencies,
): (message: IncomingMessage, response: ServerResponse) => void {
  const { endpoints, report } = dependencies;

  function handle(message: IncomingMessage, response: ServerResponse): void {
    const url = message.url ?? "/";
    const queryStart = url.indexOf("?");
    const path = queryStart < 0 ? url : url.slice(0, queryStart);
    const search = queryStart < 0 ? "" : url.slice(queryStart + 1);
    const startedAt = performance.now();
    route(message, response, path, search)
      .catch((error: unknown) => {
        report(error, path);
        if (!response.headersSent)
          send(response, { status: 500, body: '{"code":1,"error":"Internal server error."}' });
      })
      .then(() => dependencies.onResponse(apiOf(path), message.method, response.statusCode, startedAt, path));
  }

  async function route(
    message: IncomingMessage,
    response: ServerResponse,
    path: string,
    search: string,
  ): Promise<void> {
    const subPath = pathBelow(path, MOUNT_PATH) ?? undefined;
    if (subPath !== undefined) {
      if (message.method === "OPTIONS") return preflight(response);
      const filePath = /^\/+files(?=\/|$)(.*)$/.exec(subPath)?.[1];
      if (filePath !== undefined) return dependencies.files(message, response, filePath, search);
      const scope = new RequestScope({
        group: addressKey(dependencies.clientAddressOf(message)),
        ...dependencies.replyLimits,
      });
      response.once("close", () => scope.close(response.writableFinished));
      const reply = await runInScope(scope, () => dependencies.parseApi(message, subPath, search));
      return reply.chunks ? sendChunkedReply(response, reply, reply.chunks) : send(response, reply);
    }
    // Pages of other origins may not use it: it sends no CORS headers.
    const adminPath = pathBelow(path, STUDIO_PATH);
    if (adminPath !== undefined) return dependencies.adminApi(message, response, adminPath, search);
    const dataPath = pathBelow(path, DATA_PATH);
    if (dataPath !== undefined) {
      if (message.method === "OPTIONS") return preflight(response);
      const dataDocsReply = dependencies.dataDocs(message.method, dataPath);
      if (dataDocsReply) {
        message.resume();
        return send(response, dataDocsReply);
      }
      const sendNftImage = dependencies.nftImage(dataPath);
      if (sendNftImage)
        return withErrorReply(response, sendNftImage(message, response, search), "NFT images");
      return send(response, await dependencies.dataApi(message, dataPath, search));
    }
    const ipfsPath = pathBelow(path, IPFS_PATH);
    if (ipfsPath !== undefined) {
      return withErrorReply(
        response,
        dependencies.ipfs(message, response, ipfsPath, search),
        "the IPFS gateway",
      );
    }
    if (path.startsWith("/api/") || path.startsWith("/api-docs/") || path.startsWith("/moralis/")) {
      if (message.method === "OPTIONS") return preflight(response);
      const reply = await dependencies
        .providerApi(message, path)
        .catch((error: unknown) => errorReply(error, (unexpected) => report(unexpected, path)));
      if (reply) {
        // The rest of a body that was too large is not read.
        if (reply.status !== 413) message.resume();
        return send(response, reply);
      }
      // Clients expect JSON there, never the app's page, which is served for other unknown paths.
      message.resume();
      return sendNotFound(response, path);
    }
    message.resume();
    const endpoint = ownProperty(endpoints, path);
    if (endpoint) return send(response, await endpoint());
    // Metrics send no CORS headers: pages of other origins cannot read them.
    if (path === "/metrics") return send(response, await dependencies.metrics(message), {});
    if (dependencies.staticApp(message, response, path)) return;
    sendNotFound(response, path);
  }

  /** For APIs that stream their response: an error before the first chunk becomes an error reply. */
  async function withErrorReply(
    response: ServerResponse,
    sending: Promise<void>,
    api: string,
  ): Promise<void> {
    try {
      await sending;
    } catch (error) {
      if (response.headersSent) throw error;
      send(
        response,
        errorReply(error, (unexpected) => report(unexpected, api)),
      );
    }
  }

  return handle;
}

/** Returns a reply with status 200 and JSON text. */
export function ok(body: string): ApiReply {
  return { status: 200, body };
}

function sendNotFound(response: ServerResponse, path: string): void {
  const body = JSON.stringify({
    code: ErrorCode.OBJECT_NOT_FOUND,
    error: `Not found: ${path.slice(0, 200)}`,
  });
  send(response, { status: 404, body });
}

/** Reads own properties only: a path may be named like a property of Object.prototype. */
function ownProperty<T>(table: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "X-Parse-Job-Status-Id, X-Parse-Push-Status-Id, Retry-After, X-Rate-Limit-Limit, X-Rate-Limit-Remaining-TTL, X-Rate-Limit-Used, X-Rate-Limit-Remaining-IP-TTL, X-Rate-Limit-IP-Used",
};

/** Sends a reply; pages of other origins may read it unless `cors` says otherwise. */
export function send(response: ServerResponse, reply: ApiReply, cors: Record<string, string> = CORS): void {
  writeHead(response, reply, Buffer.byteLength(reply.body), cors);
  response.end(reply.body);
}

/** Sends a chunked reply. Resolves when the client has received it or has disconnected. */
async function sendChunkedReply(
  response: ServerResponse,
  reply: ApiReply,
  chunks: readonly string[],
): Promise<void> {
  writeHead(response, reply, chunksLength(chunks), CORS);
  await sendChunks(response, chunks);
}

function writeHead(
  response: ServerResponse,
  reply: Pick<ApiReply, "status" | "headers">,
  length: number,
  cors: Record<string, string>,
): void {
  response.writeHead(reply.status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": length,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    ...cors,
    ...reply.headers,
    // The rest of a body that was too large, or of one request too many, is not read.
    ...((reply.status === 413 || reply.status === 429) && !response.req.complete && { connection: "close" }),
  });
}

function preflight(response: ServerResponse): void {
  response.writeHead(204, {
    ...CORS,
    "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
    // Expected by clients of resumable uploads.
    "tus-resumable": "1.0.0",
    "tus-version": "1.0.0",
    "tus-extension": "creation,expiration,termination",
    "access-control-allow-headers":
      "X-Parse-Master-Key, X-Parse-REST-API-Key, X-Parse-Javascript-Key, X-Parse-Application-Id, X-Parse-Client-Version, X-Parse-Session-Token, X-Parse-Installation-Id, X-Parse-Request-Id, X-Parse-Revocable-Session, X-Parse-Cloud-Context, X-API-Key, X-Requested-With, X-Moralis-Platform, X-Moralis-Platform-Version, X-Moralis-Build-Target, X-Parse-File-Max-Upload-Size, X-Parse-File-Metadata, X-Parse-File-Tags, X-Parse-File-Directory, X-Parse-File-IPFS, X-Parse-Upload-Mode, X-HTTP-Method-Override, Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata, Range, If-None-Match, Content-Type, Accept, Authorization",
    "access-control-max-age": "86400",
  });
  response.end();
}

function pathBelow(path: string, mount: string): string | undefined {
  if (!path.startsWith(mount)) return undefined;
  const subPath = path.slice(mount.length);
  return subPath === "" ? "/" : subPath.startsWith("/") ? subPath : undefined;
}

function apiOf(path: string): ApiName {
  if (pathBelow(path, MOUNT_PATH) !== undefined) return "parse";
  if (pathBelow(path, STUDIO_PATH) !== undefined) return "studio";
  return pathBelow(path, DATA_PATH) === undefined ? "other" : "data";
}
