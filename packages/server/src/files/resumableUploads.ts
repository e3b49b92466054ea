import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ErrorCode, type JsonObject } from "@purse/protocol";
import type { AuthContext, RequestContext } from "../core/authContext.ts";
import { bodyChunks } from "../core/http/bodyStream.ts";
import { type Envelope, parseEnvelope } from "../core/http/envelope.ts";
import { type Files, fileTooLarge, type SavedFile } from "./files.ts";
import { removeOrphans, uploadIds } from "./orphans.ts";
import { parseUploadMetadata, tusError } from "./tusMetadata.ts";
import { type UploadQuota, uploadOwnerOf, uploadOwnerOfKey } from "./uploadQuota.ts";

export interface ResumableUploadsDependencies {
  files: Files;
  /** The folder of incomplete uploads. */
  folder: string;
  uploadQuota: UploadQuota;
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

/** The stored state of an upload. */
interface PendingUpload {
  /** Its creator, who alone may continue it. */
  owner: string;
  /** The owner that it is counted for; undefined for the operator. */
  countedFor?: string;
  /** In bytes. */
  length: number;
  name: string;
  contentType?: string;
  fileData: JsonObject;
  /** In ms since the epoch. */
  expiresAt: number;
  /** Set when it is complete. */
  saved?: SavedFile;
}

const VERSION = "1.0.0";
const EXPIRY_MS = 24 * 3_600_000;

/**
 * Incomplete content is on the disk of the process that created the upload: a load balancer must route its requests
 * back there.
 */
export async function openResumableUploads(
  dependencies: ResumableUploadsDependencies,
): Promise<ResumableUploads> {
  const { files, folder, uploadQuota, clock } = dependencies;
  await mkdir(folder, { recursive: true });
  const locked = new Set<string>();
  /** Functions that release the quota of incomplete uploads, by id. */
  const reservations = new Map<string, () => void>();
  const contentPath = (id: string) => join(folder, `${id}.part`);
  const statePath = (id: string) => join(folder, `${id}.json`);

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
    const pending = await loadState(id);
    if (!pending || pending.owner !== ownerName(request.auth) || pending.expiresAt < clock()) {
      throw tusError(404, "There is no such upload");
    }
    if (method === "HEAD") {
      const offset = await offsetOf(id, pending);
      response.writeHead(200, {
        ...tusHeaders(),
        "cache-control": "no-store",
        "upload-offset": offset,
        "upload-length": pending.length,
        ...uploadHeaders(pending),
      });
      response.end();
    } else if (method === "PATCH") await append(message, response, id, pending, request);
    else if (method === "DELETE") {
      await withLock(id, () => deleteUpload(id));
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
    const countedFor = uploadOwnerOf(request)?.key;
    const pending: PendingUpload = {
      owner: ownerName(request.auth),
      ...(countedFor !== undefined && { countedFor }),
      length: Number(length),
      name,
      ...(contentType !== undefined && { contentType }),
      fileData,
      expiresAt: clock() + EXPIRY_MS,
    };
    reservations.set(id, await uploadQuota.reserve(uploadOwnerOf(request), pending.length));
    try {
      await writeFile(contentPath(id), "", { flag: "wx" });
      await saveState(id, pending);
    } catch (error) {
      await deleteUpload(id);
      throw error;
    }
    message.resume();
    response.writeHead(201, {
      ...tusHeaders(),
      location: `${request.serverUrl ?? ""}/files/resumable/${id}`,
      "content-length": 0,
      ...uploadHeaders(pending),
    });
    response.end();
  }

  async function append(
    message: IncomingMessage,
    response: ServerResponse,
    id: string,
    pending: PendingUpload,
    request: RequestContext,
  ): Promise<void> {
    if (message.headers["content-type"] !== "application/offset+octet-stream") {
      throw tusError(415, "The content type must be application/offset+octet-stream");
    }
    await withLock(id, async () => {
      const offset = await offsetOf(id, pending);
      if (message.headers["upload-offset"] !== String(offset)) {
        throw tusError(409, `The upload offset is ${offset}`);
      }
      const remainingBytes = pending.length - offset;
      if (Number(message.headers["content-length"] ?? 0) > remainingBytes) {
        throw tusError(413, "The content is longer than Upload-Length");
      }
      if (!pending.saved) {
        // Content that arrived before the connection broke is kept.
        const contentFile = createWriteStream(contentPath(id), { flags: "a", flush: true });
        await pipeline(limitTo(bodyChunks(message), remainingBytes), contentFile);
        if (offset + contentFile.bytesWritten === pending.length) {
          pending.saved = await files.save(request, {
            name: pending.name,
            contentType: pending.contentType,
            fileData: pending.fileData,
            content: { path: contentPath(id), size: pending.length },
          });
          await saveState(id, pending);
          await rm(contentPath(id), { force: true });
          release(id);
        }
      }
      response.writeHead(204, {
        ...tusHeaders(),
        "upload-offset": await offsetOf(id, pending),
        ...uploadHeaders(pending),
      });
      response.end();
    });
  }

  /** Prevents concurrent writes. Throws 423. */
  async function withLock(id: string, work: () => Promise<void>): Promise<void> {
    if (locked.has(id)) throw tusError(423, "The upload is already in progress");
    locked.add(id);
    try {
      await work();
    } finally {
      locked.delete(id);
    }
  }

  async function offsetOf(id: string, pending: PendingUpload): Promise<number> {
    return pending.saved ? pending.length : (await stat(contentPath(id))).size;
  }

  async function loadState(id: string): Promise<PendingUpload | undefined> {
    if (!/^[0-9a-f]{32}$/.test(id)) return undefined;
    try {
      const pending: PendingUpload = JSON.parse(await readFile(statePath(id), "utf8"));
      return pending;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  async function saveState(id: string, pending: PendingUpload): Promise<void> {
    const temporary = `${statePath(id)}.new`;
    await writeFile(temporary, JSON.stringify(pending), { flush: true });
    await rename(temporary, statePath(id));
  }

  async function deleteUpload(id: string): Promise<void> {
    await rm(statePath(id), { force: true });
    await rm(contentPath(id), { force: true });
    release(id);
  }

  function release(id: string): void {
    reservations.get(id)?.();
    reservations.delete(id);
  }

  // Restores uploads of an earlier run.
  for (const id of await uploadIds(folder)) {
    const pending = await loadState(id);
    if (!pending || pending.saved) continue;
    const { countedFor, length } = pending;
    reservations.set(
      id,
      uploadQuota.reserveUnchecked(
        countedFor === undefined ? undefined : uploadOwnerOfKey(countedFor),
        length,
      ),
    );
  }
  await removeOrphans(folder, clock());

  return {
    isResumable: (message) => message.headers["tus-resumable"] !== undefined,
    handle,
    async sweep() {
      for (const id of await uploadIds(folder)) {
        const pending = await loadState(id);
        if (pending && pending.expiresAt < clock() && !locked.has(id)) await deleteUpload(id);
      }
      await removeOrphans(folder, clock());
    },
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
function uploadHeaders({ expiresAt, saved }: PendingUpload): Record<string, string> {
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
