import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import { addressKey } from "../../core/http/address.ts";
import type { ApiReply, StreamHandler } from "../../core/http/apiRoute.ts";
import { parseJsonBody, UNIDENTIFIED_CLIENT_LIMITS } from "../../core/http/bodyParser.ts";
import { decompressedChunks, discardBody } from "../../core/http/bodyStream.ts";
import { isCompressed } from "../../core/http/contentEncoding.ts";
import { contentTypeOf } from "../../core/http/contentTypes.ts";
import { type Envelope, parseEnvelope } from "../../core/http/envelope.ts";
import { sendContent } from "../../core/http/sendContent.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import type { Images } from "../images/token.ts";
import type { Downloads } from "./downloads.ts";
import type { FileAttributes } from "./fileStore.ts";
import { type Files, fileTooLarge, type SavedFile } from "./files.ts";
import type { ResumableUploads } from "./resumableUploads.ts";
import { UploadEnvelope } from "./uploadEnvelope.ts";
import { header, jsonHeader, maxSizeOf, textHeader } from "./uploadHeaders.ts";
import { diskFull, isDiskFull, sharedUploadOwner, type UploadQuota } from "./uploadQuota.ts";

export interface FileRoutesDependencies {
  /** Whether downloads keep their type, as in Parse Server. */
  keepsTypes: boolean;
  appId: string;
  files: Files;
  images: Images;
  downloads: Downloads;
  resumable: ResumableUploads;
  /** The folder in which uploads are spooled until their envelope is complete. */
  spoolDir: string;
  uploadQuota: UploadQuota;
  /** The host of the separate origin of files, if there is one. */
  filesHost: string | undefined;
  /** Returns the client's address. */
  clientAddressOf(message: IncomingMessage): string;
  /** Authenticates an envelope. Throws 119 or 209. */
  authenticate(envelope: Envelope, message: IncomingMessage): Promise<RequestContext>;
  report(error: unknown): void;
}

/**
 * Stored names are unguessable and content never changes; removed files should disappear from caches within a day,
 * though.
 */
const CACHE_CONTROL = "public, max-age=86400, immutable";

/** Other clients may not be allowed to download the file. */
const RESTRICTED_CACHE_CONTROL = "private, no-cache";

/** How much of a refused upload is read, in bytes: many clients read a response only after they have sent everything. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

/** Creates the handler of `/files`, whose bodies and responses are streams. */
export function createFileRoutes(dependencies: FileRoutesDependencies): StreamHandler {
  const { files, images } = dependencies;

  /** Handles a request; `path` is below `/files`: "" or begins with a slash. */
  return async function handle(message, response, path, search) {
    try {
      const segments = path.split("/").filter(Boolean).map(decodeURIComponent);
      if (segments[0] === "resumable" && dependencies.resumable.isResumable(message)) {
        await dependencies.resumable.handle(message, response, segments[1], search);
        return undefined;
      }
      switch (message.method) {
        case "POST":
          return await upload(message, segments, search);
        case "DELETE":
          return await remove(message, segments.join("/"), search);
        case "GET":
        case "HEAD":
          return await download(message, response, segments, search);
        default:
          throw new ProtocolError(
            ErrorCode.COMMAND_UNAVAILABLE,
            "Files support GET, HEAD, POST and DELETE",
            405,
          );
      }
    } catch (error) {
      if (response.headersSent || message.socket.destroyed) {
        if (!(error instanceof ProtocolError) && !isAborted(error)) dependencies.report(error);
        response.destroy();
        return undefined;
      }
      discardBody(message, MAX_DISCARDED_BYTES);
      throw toClientError(error, dependencies.report);
    }
  };

  async function upload(message: IncomingMessage, segments: string[], search: string): Promise<ApiReply> {
    const [name] = segments;
    if (name === undefined) throw new ProtocolError(ErrorCode.INVALID_FILE_NAME, "Filename not provided.");
    if (segments.length > 1) {
      throw new ProtocolError(ErrorCode.INVALID_FILE_NAME, "Filename contains invalid characters.");
    }
    // Clients that send the application id in a header put nothing else into the body.
    const isRaw = header(message, "x-parse-application-id") !== undefined;
    return isRaw ? uploadRaw(message, name, search) : uploadEnvelope(message, name, search);
  }

  /** An upload whose body is the content and whose headers contain everything else. */
  async function uploadRaw(message: IncomingMessage, name: string, search: string): Promise<ApiReply> {
    const request = await dependencies.authenticate(parseEnvelope("POST", message.headers, search), message);
    const maxSize = maxSizeOf(message, request);
    const contentLength = isCompressed(message) ? undefined : message.headers["content-length"];
    const saved = await files.save(request, {
      name,
      contentType: header(message, "content-type"),
      fileData: {
        ...jsonHeader(message, "metadata", "X-Parse-File-Metadata"),
        ...jsonHeader(message, "tags", "X-Parse-File-Tags"),
        ...textHeader(message, "directory", "X-Parse-File-Directory"),
        ipfs: header(message, "x-parse-file-ipfs") === "true",
      },
      content: {
        stream: decompressedChunks(message),
        ...(contentLength !== undefined && { size: Number(contentLength) }),
      },
      maxSize,
    });
    return createdReply(saved);
  }

  /** An upload with the JSON body of old clients. Their credentials follow the content, which is therefore spooled. */
  async function uploadEnvelope(message: IncomingMessage, name: string, search: string): Promise<ApiReply> {
    const limit = files.maxUploadSize;
    // Base64 takes four bytes for three.
    const maxBytes = Math.ceil(limit / 3) * 4 + 256 * 1024;
    const contentLength = Number(message.headers["content-length"] ?? maxBytes);
    if (contentLength > maxBytes) throw fileTooLarge(limit);
    const path = join(dependencies.spoolDir, randomBytes(16).toString("hex"));
    // The user is not known yet, so the upload is counted for the address.
    const release = await dependencies.uploadQuota.reserve(
      sharedUploadOwner(dependencies.clientAddressOf(message)),
      contentLength,
    );
    const spoolFile = createWriteStream(path, { flags: "wx" });
    try {
      const body = new UploadEnvelope();
      await pipeline(limitSize(body.content(decompressedChunks(message)), limit), spoolFile);
      const envelope = parseEnvelope(
        "POST",
        message.headers,
        search,
        parseJsonBody(body.rest, UNIDENTIFIED_CLIENT_LIMITS.json),
      );
      const request = await dependencies.authenticate(envelope, message);
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
        content: { path, size: spoolFile.bytesWritten },
      });
      return createdReply(saved);
    } finally {
      spoolFile.destroy();
      // A file that is still being opened would be created after its removal.
      if (!spoolFile.closed) await new Promise((resolve) => spoolFile.once("close", resolve));
      await rm(path, { force: true });
      release();
    }
  }

  async function remove(message: IncomingMessage, name: string, search: string): Promise<ApiReply> {
    const envelope = parseEnvelope("DELETE", message.headers, search);
    await files.remove(await dependencies.authenticate(envelope, message), name);
    return { status: 200, body: "{}" };
  }

  async function download(
    message: IncomingMessage,
    response: ServerResponse,
    [appId, ...segments]: string[],
    search: string,
  ): Promise<ApiReply | undefined> {
    if (appId !== dependencies.appId) {
      // As in Parse Server: no metadata is no error.
      if (segments[0] === "metadata" && segments.length > 1) return { status: 200, body: "{}" };
      throw operationForbidden("Invalid application ID.", 403);
    }
    const { downloads } = dependencies;
    // Credentials are verified only if downloads are restricted.
    const request = async () => {
      const headers = { ...message.headers, "x-parse-application-id": dependencies.appId };
      return dependencies.authenticate(parseEnvelope("GET", headers, ""), message);
    };
    if (segments[0] === "metadata" && segments.length > 1) {
      const attributes = await files.attributes(
        await downloads.resolveName(segments.slice(1).join("/"), request),
      );
      return { status: 200, body: JSON.stringify(attributes ? publicAttributes(attributes) : {}) };
    }
    const openedFile = await downloads.open(segments.join("/"), request);
    if (!openedFile) {
      const headers = { "content-type": "text/plain; charset=utf-8" };
      return { status: 404, body: "File not found.", headers };
    }
    const { name, file, forceDownload } = openedFile;
    const { type, isInline } = contentTypeOf(name);
    // If files have a separate origin, they are displayed on no other.
    const isIsolated =
      dependencies.filesHost !== undefined && message.headers.host === dependencies.filesHost;
    const isFilesHost = dependencies.filesHost === undefined || isIsolated;
    const fileName = (name.split("/").at(-1) ?? name).replace(/^[0-9a-f]{32}_/, "");
    const cacheControl = downloads.areRestricted ? RESTRICTED_CACHE_CONTROL : CACHE_CONTROL;
    const transform = type.startsWith("image/")
      ? images.requestedTransform(new URLSearchParams(search))
      : undefined;
    if (transform) {
      const source = {
        name: `file ${name} ${file.etag}`,
        read: () => images.read(file.size, file.read(0, file.size - 1)),
      };
      const client = addressKey(dependencies.clientAddressOf(message));
      await images.send(message, response, { source, transform, client, name: fileName, cacheControl });
      return undefined;
    }
    await sendContent(message, response, {
      size: file.size,
      etag: file.etag,
      lastModified: file.modifiedAt,
      type,
      isInline: isInline && isFilesHost && !forceDownload,
      isIsolated,
      keepsType: dependencies.keepsTypes,
      fileName,
      cacheControl,
      read: file.read,
    });
    return undefined;
  }
}

function createdReply(saved: SavedFile): ApiReply {
  return { status: 201, body: JSON.stringify(saved), headers: { location: saved.url } };
}

function publicAttributes({ metadata, tags, hash }: FileAttributes): JsonObject {
  return { metadata, tags, ...(hash !== undefined && { hash }) };
}

async function* limitSize(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxBytes) throw fileTooLarge(maxBytes);
    yield chunk;
  }
}

/** Converts an error of an upload for the client; a full disk is also reported to the operator. */
function toClientError(error: unknown, report: (error: unknown) => void): unknown {
  if (isAborted(error)) return requestAborted();
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

function requestAborted(): ProtocolError {
  return new ProtocolError(ErrorCode.CONNECTION_FAILED, "The request was cut off", 400);
}
