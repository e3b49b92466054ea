import type { IncomingMessage } from "node:http";
import { ErrorCode, isJsonObject, type JsonValue, ProtocolError, parseJson } from "@purse/protocol";
import { parseSize } from "../../config/filesStore.ts";
import type { RequestContext } from "../../core/authContext.ts";
import { assertMaster } from "../../core/http/masterKeyAccess.ts";

/* Headers of an upload whose body is the content. */

export function header(message: IncomingMessage, name: string): string | undefined {
  const value = message.headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function textHeader(message: IncomingMessage, key: string, name: string): Record<string, JsonValue> {
  const value = header(message, name.toLowerCase());
  return value === undefined ? {} : { [key]: value };
}

export function jsonHeader(message: IncomingMessage, key: string, name: string): Record<string, JsonValue> {
  const text = header(message, name.toLowerCase());
  if (text === undefined) return {};
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return { [key]: value };
  } catch {
    // Handled below.
  }
  throw new ProtocolError(ErrorCode.INVALID_JSON, `Invalid JSON in ${name} header.`);
}

/** The size limit that the master key sets for one upload. */
export function maxSizeOf(message: IncomingMessage, request: RequestContext): number | undefined {
  const requestedSize = header(message, "x-parse-file-max-upload-size");
  if (requestedSize === undefined) return undefined;
  assertMaster(request);
  try {
    return parseSize(requestedSize);
  } catch {
    throw new ProtocolError(
      ErrorCode.FILE_SAVE_ERROR,
      `Invalid maxUploadSize override value: ${requestedSize.slice(0, 50)}`,
    );
  }
}
