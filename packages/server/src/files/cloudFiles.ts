import { ErrorCode, isJsonObject, ProtocolError } from "@purse/protocol";
import type { ApiRequest, ApiRoute, Dispatch } from "../http/api.ts";
import { readFrom } from "../outbound/readFrom.ts";
import { type Files, tooLarge } from "./files.ts";
import type { FileUrls } from "./fileUrls.ts";

export interface CloudFilesOptions {
  files: Files;
  urls: FileUrls;
  /** Whether content may be read from an IP address. */
  isAllowed(address: string): boolean;
}

/** Content at other servers is read for so long, in ms. */
const READ_MS = 15_000;

/** What cloud code does with files, inside the process: the same rights and triggers as over HTTP, no streams. */
export function cloudFileRoutes({ files }: Pick<CloudFilesOptions, "files">): ApiRoute[] {
  async function upload(request: ApiRequest) {
    const { base64, fileData = {}, _ContentType } = request.params;
    const text = typeof base64 === "string" ? base64 : "";
    if (text.length > Math.ceil(files.maxUploadSize / 3) * 4 + 4) throw tooLarge(files.maxUploadSize);
    if (!isJsonObject(fileData)) {
      throw new ProtocolError(ErrorCode.INVALID_JSON, "fileData must be an object");
    }
    const bytes = Buffer.from(text, "base64");
    const saved = await files.save(request, {
      name: request.names.name ?? "",
      contentType: typeof _ContentType === "string" && _ContentType !== "" ? _ContentType : undefined,
      fileData,
      content: { bytes, size: bytes.length },
    });
    return { status: 201, body: JSON.stringify(saved) };
  }

  async function remove(request: ApiRequest) {
    await files.remove(request, request.names.name ?? "");
    return {};
  }

  return [
    { method: "POST", path: "/files/:name", handle: upload },
    { method: "DELETE", path: "/files/:name", handle: remove },
  ];
}

/** Sends requests of cloud code to `/files` to the routes of files, all others to those of the protocol. */
export function dispatchWithFiles(protocol: Dispatch, files: Dispatch): Dispatch {
  return (request) => {
    const name = /^\/files\/(.+)$/.exec(request.path)?.[1];
    if (name === undefined) return protocol(request);
    // A name may hold folders: here it is one segment.
    const path = `/files/${name.split("/").map(normalized).join("%2F")}`;
    return files({ ...request, path });
  };
}

function normalized(segment: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(segment));
  } catch {
    return encodeURIComponent(segment);
  }
}

/**
 * Reads a file by its address: one of ours from where it is kept, another one from the network, where no address of
 * private networks is asked. Rejects with 130 for what is too large, 119 or 100 for what cannot be read.
 */
export function createFileReader({ files, urls, isAllowed }: CloudFilesOptions) {
  return async (url: string): Promise<Uint8Array> => {
    const maxBytes = files.maxUploadSize;
    const name = urls.nameIn(url);
    const file = name === undefined ? undefined : await files.open(name);
    // Of what is not here, the address may be that of another server.
    if (!file) return readElsewhere(url, maxBytes, isAllowed);
    if (file.size > maxBytes) throw tooLarge(maxBytes);
    const pieces: Uint8Array[] = [];
    for await (const piece of file.read(0, file.size - 1)) pieces.push(Uint8Array.from(piece));
    return Buffer.concat(pieces);
  };
}

async function readElsewhere(
  url: string,
  maxBytes: number,
  isAllowed: (address: string) => boolean,
): Promise<Uint8Array> {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new ProtocolError(ErrorCode.FILE_READ_ERROR, "Files are read from http and https addresses");
  }
  try {
    return await readFrom({ method: "GET", url, maxBytes, signal: AbortSignal.timeout(READ_MS), isAllowed });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ProtocolError(ErrorCode.FILE_READ_ERROR, `The file cannot be read: ${why.slice(0, 200)}`);
  }
}
