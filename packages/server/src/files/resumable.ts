import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ErrorCode, type JsonObject } from "@purse/protocol";
import type { AuthContext, RequestContext } from "../authContext.ts";
import { bodyPieces } from "../http/bodyPieces.ts";
import { type Envelope, openEnvelope } from "../http/envelope.ts";
import { type Files, type SavedFile, tooLarge } from "./files.ts";
import { removeLeftovers, uploadIds } from "./leftovers.ts";
import { readMetadata, refused } from "./tusMetadata.ts";
import { ownerOf as countedOwner, type UploadSpace, uploadOwnerOf } from "./uploadSpace.ts";

export interface ResumableParts {
  files: Files;
  /** Where uploads wait until all of their content is there. */
  folder: string;
  space: UploadSpace;
  /** Judges the credentials of an envelope. Throws 119 or 209. */
  enter(envelope: Envelope, message: IncomingMessage): Promise<RequestContext>;
  /** In ms since the epoch. */
  clock(): number;
}

/** The tus protocol, version 1.0.0 (core, creation, expiration, termination): uploads that survive interruptions. */
export interface ResumableUploads {
  /** Whether a request to `/files/resumable` is one of this protocol. */
  takes(message: IncomingMessage): boolean;
  /** `id` is that of an upload under way. Throws ProtocolError with the status of the protocol. */
  handle(
    message: IncomingMessage,
    response: ServerResponse,
    id: string | undefined,
    search: string,
  ): Promise<void>;
  /** Forgets uploads that nobody has gone on with, and what others have left behind. */
  sweep(): Promise<void>;
}

/** An upload under way, as it waits on the disk. */
interface Pending {
  /** Who has begun it: nobody else goes on with it. */
  owner: string;
  /** For whom it is counted; undefined for the operator. */
  countedFor?: string;
  /** In bytes. */
  length: number;
  name: string;
  contentType?: string;
  fileData: JsonObject;
  /** In ms since the epoch. */
  expiresAt: number;
  /** Once it is whole. */
  saved?: SavedFile;
}

const VERSION = "1.0.0";
const LIFETIME_MS = 24 * 3_600_000;

/** Content waits on the disk of the process that has begun it: behind a balancer, clients must come back to it. */
export async function openResumableUploads(parts: ResumableParts): Promise<ResumableUploads> {
  const { files, folder, space, clock } = parts;
  await mkdir(folder, { recursive: true });
  const busy = new Set<string>();
  /** By the ids of uploads under way, how the room that they have reserved is given back. */
  const reserved = new Map<string, () => void>();
  const contentPath = (id: string) => join(folder, `${id}.part`);
  const statePath = (id: string) => join(folder, `${id}.json`);

  async function handle(
    message: IncomingMessage,
    response: ServerResponse,
    id: string | undefined,
    search: string,
  ): Promise<void> {
    if (message.headers["tus-resumable"] !== VERSION) {
      response.writeHead(412, { ...headers(), "tus-version": VERSION, "content-length": 0 }).end();
      return;
    }
    const verb = message.headers["x-http-method-override"] ?? message.method;
    const request = await parts.enter(openEnvelope("POST", message.headers, search), message);
    if (id === undefined) {
      if (verb !== "POST") throw refused(405, "Uploads are made by POST");
      return create(message, response, request);
    }
    const pending = await load(id);
    if (!pending || pending.owner !== ownerOf(request.auth) || pending.expiresAt < clock()) {
      throw refused(404, "There is no such upload");
    }
    if (verb === "HEAD") {
      const offset = await offsetOf(id, pending);
      response.writeHead(200, {
        ...headers(),
        "cache-control": "no-store",
        "upload-offset": offset,
        "upload-length": pending.length,
        ...about(pending),
      });
      response.end();
    } else if (verb === "PATCH") await append(message, response, id, pending, request);
    else if (verb === "DELETE") {
      await alone(id, () => forget(id));
      response.writeHead(204, headers()).end();
    } else throw refused(405, "An upload takes HEAD, PATCH and DELETE");
  }

  async function create(
    message: IncomingMessage,
    response: ServerResponse,
    request: RequestContext,
  ): Promise<void> {
    const length = message.headers["upload-length"];
    if (typeof length !== "string" || !/^\d{1,15}$/.test(length)) {
      throw refused(400, "Upload-Length must be a whole number");
    }
    if (Number(length) > files.maxUploadSize) {
      const { code, message: text } = tooLarge(files.maxUploadSize);
      throw refused(413, text, code);
    }
    if (Number(length) === 0) throw refused(400, "Invalid file upload.", ErrorCode.FILE_SAVE_ERROR);
    const { name, contentType, fileData } = readMetadata(message.headers["upload-metadata"]);
    await files.assertUpload(request, { name, contentType, fileData });
    const id = randomBytes(16).toString("hex");
    const countedFor = uploadOwnerOf(request)?.key;
    const pending: Pending = {
      owner: ownerOf(request.auth),
      ...(countedFor !== undefined && { countedFor }),
      length: Number(length),
      name,
      ...(contentType !== undefined && { contentType }),
      fileData,
      expiresAt: clock() + LIFETIME_MS,
    };
    reserved.set(id, await space.reserve(uploadOwnerOf(request), pending.length));
    try {
      await writeFile(contentPath(id), "", { flag: "wx" });
      await keep(id, pending);
    } catch (error) {
      await forget(id);
      throw error;
    }
    message.resume();
    response.writeHead(201, {
      ...headers(),
      location: `${request.serverUrl ?? ""}/files/resumable/${id}`,
      "content-length": 0,
      ...about(pending),
    });
    response.end();
  }

  async function append(
    message: IncomingMessage,
    response: ServerResponse,
    id: string,
    pending: Pending,
    request: RequestContext,
  ): Promise<void> {
    if (message.headers["content-type"] !== "application/offset+octet-stream") {
      throw refused(415, "The content type must be application/offset+octet-stream");
    }
    await alone(id, async () => {
      const offset = await offsetOf(id, pending);
      if (message.headers["upload-offset"] !== String(offset)) {
        throw refused(409, `The upload is at ${offset}`);
      }
      const room = pending.length - offset;
      if (Number(message.headers["content-length"] ?? 0) > room) {
        throw refused(413, "The content is longer than Upload-Length said");
      }
      if (!pending.saved) {
        // What has come in before the connection broke stays.
        const file = createWriteStream(contentPath(id), { flags: "a", flush: true });
        await pipeline(upTo(bodyPieces(message), room), file);
        if (offset + file.bytesWritten === pending.length) {
          pending.saved = await files.save(request, {
            name: pending.name,
            contentType: pending.contentType,
            fileData: pending.fileData,
            content: { path: contentPath(id), size: pending.length },
          });
          await keep(id, pending);
          await rm(contentPath(id), { force: true });
          release(id);
        }
      }
      response.writeHead(204, {
        ...headers(),
        "upload-offset": await offsetOf(id, pending),
        ...about(pending),
      });
      response.end();
    });
  }

  /** Two at once would write into one another. Throws 423. */
  async function alone(id: string, work: () => Promise<void>): Promise<void> {
    if (busy.has(id)) throw refused(423, "The upload is being gone on with already");
    busy.add(id);
    try {
      await work();
    } finally {
      busy.delete(id);
    }
  }

  async function offsetOf(id: string, pending: Pending): Promise<number> {
    return pending.saved ? pending.length : (await stat(contentPath(id))).size;
  }

  async function load(id: string): Promise<Pending | undefined> {
    if (!/^[0-9a-f]{32}$/.test(id)) return undefined;
    try {
      const pending: Pending = JSON.parse(await readFile(statePath(id), "utf8"));
      return pending;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  async function keep(id: string, pending: Pending): Promise<void> {
    const temporary = `${statePath(id)}.new`;
    await writeFile(temporary, JSON.stringify(pending), { flush: true });
    await rename(temporary, statePath(id));
  }

  async function forget(id: string): Promise<void> {
    await rm(statePath(id), { force: true });
    await rm(contentPath(id), { force: true });
    release(id);
  }

  function release(id: string): void {
    reserved.get(id)?.();
    reserved.delete(id);
  }

  // Those of an earlier run are gone on with.
  for (const id of await uploadIds(folder)) {
    const pending = await load(id);
    if (!pending || pending.saved) continue;
    const { countedFor, length } = pending;
    reserved.set(id, space.take(countedFor === undefined ? undefined : countedOwner(countedFor), length));
  }
  await removeLeftovers(folder, clock());

  return {
    takes: (message) => message.headers["tus-resumable"] !== undefined,
    handle,
    async sweep() {
      for (const id of await uploadIds(folder)) {
        const pending = await load(id);
        if (pending && pending.expiresAt < clock() && !busy.has(id)) await forget(id);
      }
      await removeLeftovers(folder, clock());
    },
  };
}

function headers(): Record<string, string> {
  return {
    "tus-resumable": VERSION,
    "access-control-allow-origin": "*",
    "access-control-expose-headers":
      "Location, Tus-Resumable, Tus-Version, Upload-Expires, Upload-Length, Upload-Offset, X-Parse-File-Name, X-Parse-File-Url, X-Parse-File-Ipfs, X-Parse-File-Hash",
  };
}

/** What is told of an upload: when it is forgotten, and once it is whole, what has become of it. */
function about({ expiresAt, saved }: Pending): Record<string, string> {
  return {
    "upload-expires": new Date(expiresAt).toUTCString(),
    ...(saved && { "x-parse-file-name": saved.name, "x-parse-file-url": saved.url }),
    ...(saved?.ipfs !== undefined && { "x-parse-file-ipfs": saved.ipfs }),
    ...(saved?.hash !== undefined && { "x-parse-file-hash": saved.hash }),
  };
}

function ownerOf(auth: AuthContext): string {
  return auth.kind === "user" ? `user ${auth.userId}` : auth.kind;
}

async function* upTo(content: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > most) throw refused(413, "The content is longer than Upload-Length said");
    yield chunk;
  }
}
