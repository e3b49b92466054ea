import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ErrorCode } from "@purse/protocol";
import type { AuthContext, RequestContext } from "../../core/authContext.ts";
import { bodyChunks } from "../../core/http/bodyStream.ts";
import { type Envelope, parseEnvelope } from "../../core/http/envelope.ts";
import { type Files, fileTooLarge } from "./files.ts";
import { parseUploadMetadata, tusError } from "./tusMetadata.ts";
import { UPLOAD_EXPIRY_MS } from "./uploadExpiry.ts";
import { uploadOwnerOf } from "./uploadQuota.ts";
import {
  isUploadId,
  type PendingUpload,
  type UploadDescription,
  type UploadStorage,
} from "./uploadStorage.ts";

export interface ResumableUploadsDependencies {
  files: Files;
  storage: UploadStorage;
  /** Authenticates an envelope. Throws 119 or 209. */
  authenticate(envelope: Envelope, message: IncomingMessage): Promise<RequestContext>;
  /** In ms since the epoch. */
  clock(): number;
}

/** The tus protocol, version 1.0.0 (core, creation, expiration, termination): uploads that survive interruptions. */
export interface ResumableUploads {
  /** Whether a request to `/files/resumable` uses this protocol. */
  isResumable(message: IncomingMessage): boolean;
  /** `id` is that of an existing upload. Throws ProtocolError with the status that tus defines. */
  handle(
    message: IncomingMessage,
    response: ServerResponse,
    id: string | undefined,
    search: string,
  ): Promise<void>;
  /** Removes expired uploads and orphaned files. */
  sweep(): Promise<void>;
}

const VERSION = "1.0.0";

export function createResumableUploads(dependencies: ResumableUploadsDependencies): ResumableUploads {
  const { files, storage, clock } = dependencies;

  async function handle(
    message: IncomingMessage,
    response: ServerResponse,
    id: string | undefined,
    search: string,
  ): Promise<void> {
    if (message.headers["tus-resumable"] !== VERSION) {
      response.writeHead(412, { ...tusHeaders(), "tus-version": VERSION, "content-length": 0 }).end();
      return;
    }
    const method = message.headers["x-http-method-override"] ?? message.method;
    const request = await dependencies.authenticate(parseEnvelope("POST", message.headers, search), message);
    if (id === undefined) {
      if (method !== "POST") throw tusError(405, "Uploads are created with POST");
      return create(message, response, request);
    }
    const pending = isUploadId(id) ? await storage.find(id) : undefined;
    if (!pending || pending.owner !== ownerName(request.auth) || pending.expiresAt < clock()) {
      throw tusError(404, "There is no such upload");
    }
    if (method === "HEAD") {
      response.writeHead(200, {
        ...tusHeaders(),
        "cache-control": "no-store",
        "upload-offset": pending.offset,
        "upload-length": pending.length,
        ...uploadHeaders(pending),
      });
      response.end();
    } else if (method === "PATCH") await append(message, response, id, request);
    else if (method === "DELETE") {
      await storage.withLock(id, () => storage.remove(id));
      response.writeHead(204, tusHeaders()).end();
    } else throw tusError(405, "Uploads support HEAD, PATCH and DELETE");
  }

  async function create(
    message: IncomingMessage,
    response: ServerResponse,
    request: RequestContext,
  ): Promise<void> {
    const length = message.headers["upload-length"];
    if (typeof length !== "string" || !/^\d{1,15}$/.test(length)) {
      throw tusError(400, "Upload-Length must be an integer");
    }
    if (Number(length) > files.maxUploadSize) {
      const { code, message: text } = fileTooLarge(files.maxUploadSize);
      throw tusError(413, text, code);
    }
    if (Number(length) === 0) throw tusError(400, "Invalid file upload.", ErrorCode.FILE_SAVE_ERROR);
    const { name, contentType, fileData } = parseUploadMetadata(message.headers["upload-metadata"]);
    await files.assertUploadAllowed(request, { name, contentType, fileData });
    const id = randomBytes(16).toString("hex");
    const owner = uploadOwnerOf(request);
    const upload: UploadDescription = {
      owner: ownerName(request.auth),
      ...(owner && { countedFor: owner.key }),
      length: Number(length),
      name,
      ...(contentType !== undefined && { contentType }),
      fileData,
      expiresAt: clock() + UPLOAD_EXPIRY_MS,
    };
    await storage.create(id, upload, owner);
    message.resume();
    response.writeHead(201, {
      ...tusHeaders(),
      location: `${request.serverUrl ?? ""}/files/resumable/${id}`,
      "content-length": 0,
      ...uploadHeaders(upload),
    });
    response.end();
  }

  async function append(
    message: IncomingMessage,
    response: ServerResponse,
    id: string,
    request: RequestContext,
  ): Promise<void> {
    if (message.headers["content-type"] !== "application/offset+octet-stream") {
      throw tusError(415, "The content type must be application/offset+octet-stream");
    }
    // The client may continue with another server as soon as it has the response: the lock is released before.
    const pending = await storage.withLock(id, async () => {
      const before = await requireUpload(id);
      if (message.headers["upload-offset"] !== String(before.offset)) {
        throw tusError(409, `The upload offset is ${before.offset}`);
      }
      const remainingBytes = before.length - before.offset;
      if (Number(message.headers["content-length"] ?? 0) > remainingBytes) {
        throw tusError(413, "The content is longer than Upload-Length");
      }
      if (remainingBytes > 0) await storage.append(id, limitTo(bodyChunks(message), remainingBytes));
      const pending = await requireUpload(id);
      if (!pending.saved && pending.offset === pending.length) {
        pending.saved = await files.save(request, {
          name: pending.name,
          contentType: pending.contentType,
          fileData: pending.fileData,
          content: await storage.contentOf(id),
        });
        await storage.finish(id, pending.saved);
      }
      return pending;
    });
    response.writeHead(204, {
      ...tusHeaders(),
      "upload-offset": pending.offset,
      ...uploadHeaders(pending),
    });
    response.end();
  }

  async function requireUpload(id: string): Promise<PendingUpload> {
    const pending = await storage.find(id);
    if (!pending) throw tusError(404, "There is no such upload");
    return pending;
  }

  return {
    isResumable: (message) => message.headers["tus-resumable"] !== undefined,
    handle,
    sweep: () => storage.sweep(clock()),
  };
}

function tusHeaders(): Record<string, string> {
  return {
    "tus-resumable": VERSION,
    "access-control-allow-origin": "*",
    "access-control-expose-headers":
      "Location, Tus-Resumable, Tus-Version, Upload-Expires, Upload-Length, Upload-Offset, X-Parse-File-Name, X-Parse-File-Url, X-Parse-File-Ipfs, X-Parse-File-Hash",
  };
}

/** Response headers of an upload: when it expires and, once it is complete, the saved file. */
function uploadHeaders({
  expiresAt,
  saved,
}: Pick<PendingUpload, "expiresAt" | "saved">): Record<string, string> {
  return {
    "upload-expires": new Date(expiresAt).toUTCString(),
    ...(saved && { "x-parse-file-name": saved.name, "x-parse-file-url": saved.url }),
    ...(saved?.ipfs !== undefined && { "x-parse-file-ipfs": saved.ipfs }),
    ...(saved?.hash !== undefined && { "x-parse-file-hash": saved.hash }),
  };
}

function ownerName(auth: AuthContext): string {
  return auth.kind === "user" ? `user ${auth.userId}` : auth.kind;
}

async function* limitTo(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxBytes) throw tusError(413, "The content is longer than Upload-Length");
    yield chunk;
  }
}
