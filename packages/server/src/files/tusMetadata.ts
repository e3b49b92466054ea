import { ErrorCode, isJsonObject, type JsonObject, ProtocolError, parseJson } from "@purse/protocol";

/** What a client of the tus protocol says of a file. */
export interface TusMetadata {
  name: string;
  contentType: string | undefined;
  /** As `Files` takes it. */
  fileData: JsonObject;
}

/** Longest Upload-Metadata, in characters. */
const MAX_METADATA = 16 * 1024;

/** `filename`, `filetype`, and as JSON `metadata`, `tags`; `directory`, `ipfs`: each in base64, as the protocol says. */
export function readMetadata(header: string | string[] | undefined): TusMetadata {
  const text = typeof header === "string" ? header : "";
  if (text.length > MAX_METADATA) throw refused(400, "Upload-Metadata is too long");
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
    // Said below.
  }
  throw refused(400, `${key} of Upload-Metadata must be a JSON object`);
}

/** An error with the HTTP status that the tus protocol wants. */
export function refused(
  status: number,
  message: string,
  code: number = ErrorCode.INVALID_JSON,
): ProtocolError {
  return new ProtocolError(code, message, status);
}
