import { ErrorCode, isJsonObject, type JsonObject, ProtocolError, parseJson } from "@purse/protocol";

/** Metadata that a tus client sends for a file. */
export interface TusMetadata {
  name: string;
  contentType: string | undefined;
  /** File data as expected by `Files`. */
  fileData: JsonObject;
}

/** Maximum length of Upload-Metadata in characters. */
const MAX_METADATA_LENGTH = 16 * 1024;

/**
 * Parses Upload-Metadata: `filename`, `filetype`, `metadata` and `tags` as JSON, `directory` and `ipfs`, each in base64
 * as tus defines.
 */
export function parseUploadMetadata(header: string | string[] | undefined): TusMetadata {
  const text = typeof header === "string" ? header : "";
  if (text.length > MAX_METADATA_LENGTH) throw tusError(400, "Upload-Metadata is too long");
  const values = new Map<string, string>();
  for (const pair of text.split(",").map((each) => each.trim())) {
    if (pair === "") continue;
    const [key = "", value = ""] = pair.split(" ", 2);
    values.set(key, Buffer.from(value, "base64").toString("utf8"));
  }
  const fileData: JsonObject = { ipfs: values.get("ipfs") === "true" };
  for (const key of ["metadata", "tags"]) {
    const json = values.get(key);
    if (json !== undefined) fileData[key] = jsonObject(json, key);
  }
  const directory = values.get("directory");
  if (directory !== undefined) fileData.directory = directory;
  return {
    name: values.get("filename") ?? values.get("name") ?? "",
    contentType: values.get("filetype") ?? values.get("type"),
    fileData,
  };
}

function jsonObject(text: string, key: string): JsonObject {
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Handled below.
  }
  throw tusError(400, `${key} of Upload-Metadata must be a JSON object`);
}

/** An error with the HTTP status that tus defines. */
export function tusError(
  status: number,
  message: string,
  code: number = ErrorCode.INVALID_JSON,
): ProtocolError {
  return new ProtocolError(code, message, status);
}
