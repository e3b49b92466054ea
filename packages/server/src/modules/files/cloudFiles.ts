import { fetchUrl } from "@purse/outbound";
import { ErrorCode, isJsonObject, ProtocolError } from "@purse/protocol";
import type { ApiRequest, ApiRoute } from "../../core/http/apiRoute.ts";
import { routeOf } from "../../core/http/endpoint.ts";
import type { FileUrls } from "../../data/fileUrls.ts";
import { FILE_ENDPOINTS } from "./fileEndpoints.ts";
import { type Files, fileTooLarge } from "./files.ts";

export interface CloudFilesOptions {
  files: Files;
  urls: FileUrls;
  /** Whether content may be fetched from an IP address. */
  isAllowed(address: string): boolean;
}

/** Time limit of fetching content from other servers, in ms. */
const FETCH_TIMEOUT_MS = 15_000;

/**
 * Routes for files of cloud code inside the process: the same permissions and triggers as over HTTP, but no streams.
 */
export function cloudFileRoutes({ files }: Pick<CloudFilesOptions, "files">): ApiRoute[] {
  async function upload(request: ApiRequest) {
    const { base64, fileData = {}, _ContentType } = request.params;
    const text = typeof base64 === "string" ? base64 : "";
    if (text.length > Math.ceil(files.maxUploadSize / 3) * 4 + 4) throw fileTooLarge(files.maxUploadSize);
    if (!isJsonObject(fileData)) {
      throw new ProtocolError(ErrorCode.INVALID_JSON, "fileData must be an object");
    }
    const bytes = Buffer.from(text, "base64");
    const saved = await files.save(request, {
      name: request.pathParams.name ?? "",
      contentType: typeof _ContentType === "string" && _ContentType !== "" ? _ContentType : undefined,
      fileData,
      content: { bytes, size: bytes.length },
    });
    return { status: 201, body: JSON.stringify(saved) };
  }

  async function remove(request: ApiRequest) {
    await files.remove(request, request.pathParams.name ?? "");
    return {};
  }

  return [routeOf(FILE_ENDPOINTS.endpoints.upload, upload), routeOf(FILE_ENDPOINTS.endpoints.remove, remove)];
}

/**
 * Creates a function that downloads a file by its URL: files of this server from the file store, others over the
 * network, but never from private addresses. Rejects with 130 for files that are too large or cannot be fetched.
 */
export function createFileReader({ files, urls, isAllowed }: CloudFilesOptions) {
  return async (url: string): Promise<Uint8Array> => {
    const maxBytes = files.maxUploadSize;
    const name = urls.nameFromUrl(url);
    const file = name === undefined ? undefined : await files.open(name);
    // A missing file may be at a URL of another server.
    if (!file) return fetchRemote(url, maxBytes, isAllowed);
    if (file.size > maxBytes) throw fileTooLarge(maxBytes);
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.read(0, file.size - 1)) chunks.push(Uint8Array.from(chunk));
    return Buffer.concat(chunks);
  };
}

async function fetchRemote(
  url: string,
  maxBytes: number,
  isAllowed: (address: string) => boolean,
): Promise<Uint8Array> {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new ProtocolError(
      ErrorCode.FILE_READ_ERROR,
      "Files can be downloaded from http and https URLs only",
    );
  }
  try {
    return await fetchUrl({
      method: "GET",
      url,
      maxBytes,
      signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
      isAllowed,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ProtocolError(ErrorCode.FILE_READ_ERROR, `The file cannot be read: ${reason.slice(0, 200)}`);
  }
}
