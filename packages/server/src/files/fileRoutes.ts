import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import type { ApiReply } from "../http/api.ts";
import { bodyPieces, discardRest } from "../http/bodyPieces.ts";
import { contentTypeOf } from "../http/contentTypes.ts";
import { type Envelope, openEnvelope } from "../http/envelope.ts";
import { errorReply } from "../http/reply.ts";
import { parseFields, UNKNOWN_CLIENT } from "../http/requestFields.ts";
import { sendContent } from "../http/sendContent.ts";
import type { Downloads } from "./downloads.ts";
import type { FileAbout } from "./fileStore.ts";
import { type Files, type SavedFile, tooLarge } from "./files.ts";
import type { ResumableUploads } from "./resumable.ts";
import { UploadEnvelope } from "./uploadEnvelope.ts";
import { header, jsonHeader, maxSizeOf, textHeader } from "./uploadHeaders.ts";
import { diskFull, isDiskFull, sharedOwnerOf, type UploadSpace } from "./uploadSpace.ts";

export interface FileRoutesParts {
  appId: string;
  files: Files;
  downloads: Downloads;
  resumable: ResumableUploads;
  /** Where uploads wait until all of their envelope is there. */
  spoolDir: string;
  space: UploadSpace;
  /** The host of the address on which files have an origin of their own. */
  filesHost: string | undefined;
  /** The client's address. */
  addressOf(message: IncomingMessage): string;
  /** Judges the credentials of an envelope. Throws 119 or 209. */
  enter(envelope: Envelope, message: IncomingMessage): Promise<RequestContext>;
  send(response: ServerResponse, reply: ApiReply): void;
  report(error: unknown): void;
}

/** Names nobody can guess; what has been removed should not be seen for much longer, though. */
const CACHE = "public, max-age=86400, immutable";

/** Where the cloud code decides, each time anew. */
const CACHE_GUARDED = "private, no-cache";

/** The routes at `/files`, whose bodies and answers are streams. */
export function createFileRoutes(parts: FileRoutesParts) {
  const { files, send } = parts;

  /** Answers a request; `path` is below `/files`: "" or begins with a slash. */
  return async function handle(
    message: IncomingMessage,
    response: ServerResponse,
    path: string,
    search: string,
  ): Promise<void> {
    try {
      const segments = path.split("/").filter(Boolean).map(decodeURIComponent);
      if (segments[0] === "resumable" && parts.resumable.takes(message)) {
        return await parts.resumable.handle(message, response, segments[1], search);
      }
      switch (message.method) {
        case "POST":
          return await upload(message, response, segments, search);
        case "DELETE":
          return await remove(message, response, segments.join("/"), search);
        case "GET":
        case "HEAD":
          return await download(message, response, segments);
        default:
          throw new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, "Files take GET, HEAD, POST, DELETE", 405);
      }
    } catch (error) {
      if (response.headersSent || message.socket.destroyed) {
        if (!(error instanceof ProtocolError) && !isAborted(error)) parts.report(error);
        response.destroy();
        return;
      }
      send(response, errorReply(clientError(error, parts.report), parts.report));
      discardRest(message);
    }
  };

  async function upload(
    message: IncomingMessage,
    response: ServerResponse,
    segments: string[],
    search: string,
  ): Promise<void> {
    const [name] = segments;
    if (name === undefined) throw new ProtocolError(ErrorCode.INVALID_FILE_NAME, "Filename not provided.");
    if (segments.length > 1) {
      throw new ProtocolError(ErrorCode.INVALID_FILE_NAME, "Filename contains invalid characters.");
    }
    // Whoever names the application in a header has nothing to say in the body.
    const isRaw = header(message, "x-parse-application-id") !== undefined;
    const saved = isRaw
      ? await uploadRaw(message, name, search)
      : await uploadEnvelope(message, name, search);
    send(response, saved);
  }

  /** The body is the content, and headers say the rest. */
  async function uploadRaw(message: IncomingMessage, name: string, search: string): Promise<ApiReply> {
    const request = await parts.enter(openEnvelope("POST", message.headers, search), message);
    const maxSize = maxSizeOf(message, request);
    const length = message.headers["content-length"];
    const saved = await files.save(request, {
      name,
      contentType: header(message, "content-type"),
      fileData: {
        ...jsonHeader(message, "metadata", "X-Parse-File-Metadata"),
        ...jsonHeader(message, "tags", "X-Parse-File-Tags"),
        ...textHeader(message, "directory", "X-Parse-File-Directory"),
        ipfs: header(message, "x-parse-file-ipfs") === "true",
      },
      content: { stream: bodyPieces(message), ...(length !== undefined && { size: Number(length) }) },
      maxSize,
    });
    return created(saved);
  }

  /** The body is the JSON of old clients. Who sends it stands behind the content, which therefore waits. */
  async function uploadEnvelope(message: IncomingMessage, name: string, search: string): Promise<ApiReply> {
    const limit = files.maxUploadSize;
    // Base64 takes four bytes for three.
    const most = Math.ceil(limit / 3) * 4 + 256 * 1024;
    const length = Number(message.headers["content-length"] ?? most);
    if (length > most) throw tooLarge(limit);
    const path = join(parts.spoolDir, randomBytes(16).toString("hex"));
    // Who it is, is not known yet: it is counted for the address.
    const release = await parts.space.reserve(sharedOwnerOf(parts.addressOf(message)), length);
    try {
      const body = new UploadEnvelope();
      const spool = createWriteStream(path, { flags: "wx" });
      await pipeline(limited(body.content(bodyPieces(message)), limit), spool);
      const envelope = openEnvelope(
        "POST",
        message.headers,
        search,
        parseFields(body.rest, UNKNOWN_CLIENT.json),
      );
      const request = await parts.enter(envelope, message);
      if (envelope.method === "DELETE") {
        await files.remove(request, name);
        return { status: 200, body: "{}" };
      }
      const { _ContentType, fileData } = envelope.params;
      if (fileData !== undefined && !isJsonObject(fileData)) {
        throw new ProtocolError(ErrorCode.INVALID_JSON, "fileData must be an object");
      }
      const saved = await files.save(request, {
        name,
        contentType: typeof _ContentType === "string" && _ContentType !== "" ? _ContentType : undefined,
        fileData: fileData ?? {},
        content: { path, size: spool.bytesWritten },
      });
      return created(saved);
    } finally {
      await rm(path, { force: true });
      release();
    }
  }

  async function remove(
    message: IncomingMessage,
    response: ServerResponse,
    name: string,
    search: string,
  ): Promise<void> {
    message.resume();
    const envelope = openEnvelope("DELETE", message.headers, search);
    await files.remove(await parts.enter(envelope, message), name);
    send(response, { status: 200, body: "{}" });
  }

  async function download(
    message: IncomingMessage,
    response: ServerResponse,
    [appId, ...segments]: string[],
  ): Promise<void> {
    message.resume();
    if (appId !== parts.appId) {
      throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "Invalid application ID.", 403);
    }
    const { downloads } = parts;
    // Credentials are checked only where the cloud code decides about downloads.
    const request = async () => {
      const headers = { ...message.headers, "x-parse-application-id": parts.appId };
      return parts.enter(openEnvelope("GET", headers, ""), message);
    };
    if (segments[0] === "metadata" && segments.length > 1) {
      const about = await files.about(await downloads.nameFor(segments.slice(1).join("/"), request));
      return send(response, { status: 200, body: JSON.stringify(about ? told(about) : {}) });
    }
    const found = await downloads.open(segments.join("/"), request);
    if (!found) {
      const body = "File not found.";
      response.writeHead(404, {
        "content-type": "text/plain; charset=utf-8",
        "content-length": body.length,
        "x-content-type-options": "nosniff",
        "access-control-allow-origin": "*",
      });
      response.end(message.method === "HEAD" ? undefined : body);
      return;
    }
    const { name, file, forceDownload } = found;
    const { type, isShown } = contentTypeOf(name);
    // Where files have an origin of their own, they are shown on no other.
    const isIsolated = parts.filesHost !== undefined && message.headers.host === parts.filesHost;
    const isHome = parts.filesHost === undefined || isIsolated;
    await sendContent(message, response, {
      size: file.size,
      etag: file.etag,
      lastModified: file.modifiedAt,
      type,
      isShown: isShown && isHome && !forceDownload,
      isIsolated,
      fileName: (name.split("/").at(-1) ?? name).replace(/^[0-9a-f]{32}_/, ""),
      cacheControl: downloads.isGuarded ? CACHE_GUARDED : CACHE,
      read: file.read,
    });
  }
}

function created(saved: SavedFile): ApiReply {
  return { status: 201, body: JSON.stringify(saved), headers: { location: saved.url } };
}

function told({ metadata, tags, hash }: FileAbout): JsonObject {
  return { metadata, tags, ...(hash !== undefined && { hash }) };
}

async function* limited(content: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > most) throw tooLarge(most);
    yield chunk;
  }
}

/** The error that a client is answered for an upload that failed; a full disk is reported to the operator, too. */
function clientError(error: unknown, report: (error: unknown) => void): unknown {
  if (isAborted(error)) return cutOff();
  if (!isDiskFull(error)) return error;
  report(error);
  return diskFull();
}

function isAborted(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    (error.code === "ECONNRESET" || error.code === "ERR_STREAM_PREMATURE_CLOSE")
  );
}

function cutOff(): ProtocolError {
  return new ProtocolError(ErrorCode.CONNECTION_FAILED, "The request was cut off", 400);
}
