import { ErrorCode, isJsonObject, type JsonValue, ProtocolError, tryParseJson } from "@purse/protocol";
import type { FolderEntry, Ipfs } from "./ipfs.ts";

export interface UploadFolderOptions {
  ipfs: Ipfs;
  /** The base URL of content: `https://host/ipfs`. */
  gateway: string;
  /** Maximum size of a file, in bytes. */
  maxFileBytes: number;
  /** Reserves disk space. Rejects if there is not enough. */
  reserve(bytes: number): Promise<() => void>;
}

/**
 * Adds a folder from `[{ path, content }]`; content is base64 (or a data URI) or JSON. Returns the URL of each file
 * below the gateway in the same order. Throws 107 for invalid input, 130 for files that are too large.
 */
export async function uploadFolder(
  { ipfs, gateway, maxFileBytes, reserve }: UploadFolderOptions,
  data: JsonValue,
): Promise<{ path: string }[]> {
  if (!Array.isArray(data)) throw invalid("The body must be a list of { path, content }");
  const entries = data.map(parseEntry);
  const oversized = entries.find(({ content }) => content.length > maxFileBytes);
  if (oversized) {
    throw new ProtocolError(
      ErrorCode.FILE_SAVE_ERROR,
      `File size exceeds maximum allowed: ${maxFileBytes} bytes.`,
    );
  }
  const release = await reserve(entries.reduce((sum, { content }) => sum + content.length, 0));
  const cid = await ipfs.addFolder(entries).finally(release);
  return entries.map(({ path }) => ({
    path: `${gateway}/${cid}/${path.split("/").map(encodeURIComponent).join("/")}`,
  }));
}

function parseEntry(value: JsonValue): FolderEntry {
  if (!isJsonObject(value) || typeof value.path !== "string" || value.content === undefined) {
    throw invalid("Each file must be { path, content }");
  }
  return { path: value.path.replace(/^\/+/, ""), content: parseContent(value.content, value.path) };
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

function parseContent(content: JsonValue, path: string): Uint8Array {
  if (typeof content !== "string") return Buffer.from(JSON.stringify(content));
  const base64 = content.replace(/^data:[^,]{0,200};base64,/, "");
  if (BASE64.test(base64)) return Buffer.from(base64, "base64");
  if (tryParseJson(content) !== undefined) return Buffer.from(content);
  throw invalid(`The content of "${path.slice(0, 100)}" is neither base64 nor JSON`);
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, message);
}
