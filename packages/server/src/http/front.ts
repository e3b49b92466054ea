import type { IncomingMessage, ServerResponse } from "node:http";
import { ErrorCode } from "@purse/protocol";
import { IPFS_PATH } from "../ipfs/index.ts";
import { RequestScope, type RequestScopeOptions, runInScope } from "../limits/requestScope.ts";
import type { DoorName } from "../observe/metrics.ts";
import { addressKey } from "./address.ts";
import type { ApiReply } from "./api.ts";
import type { ClientAddressOf } from "./clientAddress.ts";
import { piecesLength, sendPieces } from "./pieces.ts";
import { errorReply } from "./reply.ts";

/** Where the Parse protocol and live queries are served. */
export const MOUNT_PATH = "/server";
/** Where the data service is served. */
export const DATA_PATH = "/api/v2";
/** Where operators work: the studio's own API, below the path of its pages. */
export const STUDIO_PATH = "/studio/api";

type Answer = (
  message: IncomingMessage,
  response: ServerResponse,
  below: string,
  search: string,
) => Promise<void>;
type Reply = (message: IncomingMessage, below: string, search: string) => Promise<ApiReply>;

/** The doors of the server; paths are handed on without what they begin with, and without the query. */
export interface FrontParts {
  clientAddressOf: ClientAddressOf;
  parse: Reply;
  /** What bounds the answers of the Parse protocol that are held in memory. */
  answers: Pick<RequestScopeOptions, "budget" | "maxAnswerBytes">;
  files: Answer;
  studio: Answer;
  data: Reply;
  dataPageAt(method: string | undefined, below: string): ApiReply | undefined;
  /** The way to answer with a picture of an NFT; undefined for other paths below the data service's. */
  pictureAt(
    below: string,
  ): ((message: IncomingMessage, response: ServerResponse, search: string) => Promise<void>) | undefined;
  ipfs: Answer;
  provider(message: IncomingMessage, path: string): Promise<ApiReply | undefined>;
  /** What stands at a path of its own. */
  pages: Record<string, () => Promise<ApiReply>>;
  figures(message: IncomingMessage): Promise<ApiReply>;
  /** True where the app has a file or a page at that path and has answered. */
  app(message: IncomingMessage, response: ServerResponse, path: string): boolean;
  /** Is told of every answer; `started` as performance.now() counts. */
  answered(door: DoorName, method: string | undefined, status: number, started: number, path: string): void;
  report(error: unknown, during: string): void;
}

/** Brings each request to its door, by its path. */
export function createFront(parts: FrontParts): (message: IncomingMessage, response: ServerResponse) => void {
  const { pages, report } = parts;

  function handle(message: IncomingMessage, response: ServerResponse): void {
    const url = message.url ?? "/";
    const mark = url.indexOf("?");
    const path = mark < 0 ? url : url.slice(0, mark);
    const search = mark < 0 ? "" : url.slice(mark + 1);
    const started = performance.now();
    route(message, response, path, search)
      .catch((error: unknown) => {
        report(error, path);
        if (!response.headersSent)
          send(response, { status: 500, body: '{"code":1,"error":"Internal server error."}' });
      })
      .then(() => parts.answered(doorOf(path), message.method, response.statusCode, started, path));
  }

  async function route(
    message: IncomingMessage,
    response: ServerResponse,
    path: string,
    search: string,
  ): Promise<void> {
    const below = belowMount(path, MOUNT_PATH) ?? undefined;
    if (below !== undefined) {
      if (message.method === "OPTIONS") return preflight(response);
      const filePath = /^\/+files(?=\/|$)(.*)$/.exec(below)?.[1];
      if (filePath !== undefined) return parts.files(message, response, filePath, search);
      const scope = new RequestScope({
        group: addressKey(parts.clientAddressOf(message)),
        ...parts.answers,
      });
      response.once("close", () => scope.close(response.writableFinished));
      const reply = await runInScope(scope, () => parts.parse(message, below, search));
      return reply.pieces ? sendInPieces(response, reply, reply.pieces) : send(response, reply);
    }
    // No page of another origin asks anything there: there are no CORS headers.
    const operated = belowMount(path, STUDIO_PATH);
    if (operated !== undefined) return parts.studio(message, response, operated, search);
    const data = belowMount(path, DATA_PATH);
    if (data !== undefined) {
      if (message.method === "OPTIONS") return preflight(response);
      const dataPage = parts.dataPageAt(message.method, data);
      if (dataPage) {
        message.resume();
        return send(response, dataPage);
      }
      const picture = parts.pictureAt(data);
      if (picture) return orError(response, picture(message, response, search), "pictures of NFTs");
      return send(response, await parts.data(message, data, search));
    }
    const content = belowMount(path, IPFS_PATH);
    if (content !== undefined) {
      return orError(response, parts.ipfs(message, response, content, search), "the IPFS gateway");
    }
    if (path.startsWith("/api/") || path.startsWith("/api-docs/") || path.startsWith("/moralis/")) {
      if (message.method === "OPTIONS") return preflight(response);
      const reply = await parts
        .provider(message, path)
        .catch((error: unknown) => errorReply(error, (unexpected) => report(unexpected, path)));
      if (reply) {
        // What is left of a body that was too large is not read.
        if (reply.status !== 413) message.resume();
        return send(response, reply);
      }
      // Clients read JSON there: never the app's page, which stands for unknown paths elsewhere.
      message.resume();
      return nothingAt(response, path);
    }
    message.resume();
    const page = own(pages, path);
    if (page) return send(response, await page());
    // Figures are for machines: a page of another origin does not get to read them.
    if (path === "/metrics") return send(response, await parts.figures(message), {});
    if (parts.app(message, response, path)) return;
    nothingAt(response, path);
  }

  /** For doors that answer in pieces: what goes wrong before the first of them is told. */
  async function orError(response: ServerResponse, answered: Promise<void>, door: string): Promise<void> {
    try {
      await answered;
    } catch (error) {
      if (response.headersSent) throw error;
      send(
        response,
        errorReply(error, (unexpected) => report(unexpected, door)),
      );
    }
  }

  return handle;
}

/** A reply of 200 with JSON text. */
export function ok(body: string): ApiReply {
  return { status: 200, body };
}

function nothingAt(response: ServerResponse, path: string): void {
  const body = JSON.stringify({
    code: ErrorCode.OBJECT_NOT_FOUND,
    error: `There is nothing at ${path.slice(0, 200)}`,
  });
  send(response, { status: 404, body });
}

/** Own keys alone: a path may be spelt like something that every object has. */
function own<T>(table: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "X-Parse-Job-Status-Id, X-Parse-Push-Status-Id, Retry-After, X-Rate-Limit-Limit, X-Rate-Limit-Remaining-TTL, X-Rate-Limit-Used, X-Rate-Limit-Remaining-IP-TTL, X-Rate-Limit-IP-Used",
};

/** Sends a reply; pages of other origins may read it unless told otherwise. */
export function send(response: ServerResponse, reply: ApiReply, cors: Record<string, string> = CORS): void {
  writeHead(response, reply, Buffer.byteLength(reply.body), cors);
  response.end(reply.body);
}

/** The same for a long reply. Resolves when the client has taken it, or is gone. */
async function sendInPieces(
  response: ServerResponse,
  reply: ApiReply,
  pieces: readonly string[],
): Promise<void> {
  writeHead(response, reply, piecesLength(pieces), CORS);
  await sendPieces(response, pieces);
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
    // What is left of a body that was too large, or one too many, is not read.
    ...((reply.status === 413 || reply.status === 429) && !response.req.complete && { connection: "close" }),
  });
}

function preflight(response: ServerResponse): void {
  response.writeHead(204, {
    ...CORS,
    "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
    // What clients of the resumable uploads ask for.
    "tus-resumable": "1.0.0",
    "tus-version": "1.0.0",
    "tus-extension": "creation,expiration,termination",
    "access-control-allow-headers":
      "X-Parse-Master-Key, X-Parse-REST-API-Key, X-Parse-Javascript-Key, X-Parse-Application-Id, X-Parse-Client-Version, X-Parse-Session-Token, X-Parse-Installation-Id, X-Parse-Request-Id, X-Parse-Revocable-Session, X-Parse-Cloud-Context, X-API-Key, X-Requested-With, X-Moralis-Platform, X-Moralis-Platform-Version, X-Moralis-Build-Target, X-Parse-File-Max-Upload-Size, X-Parse-File-Metadata, X-Parse-File-Tags, X-Parse-File-Directory, X-Parse-File-IPFS, X-Parse-Upload-Mode, X-HTTP-Method-Override, Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata, Range, If-None-Match, Content-Type, Accept, Authorization",
    "access-control-max-age": "86400",
  });
  response.end();
}

function belowMount(path: string, mount: string): string | undefined {
  if (!path.startsWith(mount)) return undefined;
  const below = path.slice(mount.length);
  return below === "" ? "/" : below.startsWith("/") ? below : undefined;
}

function doorOf(path: string): DoorName {
  if (belowMount(path, MOUNT_PATH) !== undefined) return "parse";
  if (belowMount(path, STUDIO_PATH) !== undefined) return "studio";
  return belowMount(path, DATA_PATH) === undefined ? "other" : "data";
}
