import { isJsonObject, type JsonValue, tryParseJson } from "@purse/protocol";
import type { MetadataResult } from "../store/nftMetadata.ts";
import { metadataTerms } from "./searchTerms.ts";
import { repairJson } from "./tolerantJson.ts";

/** Max size of metadata, in bytes. */
export const MAX_METADATA_BYTES = 1024 * 1024;
/** Max length of a stored URI; longer ones can only be `data:` URIs, which are decoded immediately. */
export const MAX_URI_LENGTH = 16_384;

/**
 * Validates that metadata is the JSON text of an object. It is stored unchanged if it is valid, and repaired if that is
 * possible: invalid bytes of UTF-8 are replaced. Nothing in it is executed or followed.
 */
export function parseMetadata(bytes: Uint8Array): MetadataResult {
  if (bytes.length > MAX_METADATA_BYTES) return metadataProblem(METADATA_TOO_LARGE);
  const text = new TextDecoder().decode(bytes).trim();
  if (exceedsDepth(text)) return metadataProblem("the content is nested too deeply");
  for (const metadata of [() => text, () => repairJson(text)]) {
    const json = metadata();
    const value: JsonValue | undefined = tryParseJson(json);
    if (value === undefined) continue;
    if (!isJsonObject(value)) return metadataProblem("the content is not a JSON object");
    if (Buffer.byteLength(json) > MAX_METADATA_BYTES) return metadataProblem(METADATA_TOO_LARGE);
    return { metadata: json, terms: metadataTerms(value) };
  }
  return metadataProblem("the content is not JSON");
}

/** Whether JSON is nested more deeply than some parsers support. */
function exceedsDepth(json: string): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (isInText) {
      if (character === BACKSLASH) at += 1;
      else if (character === QUOTE) isInText = false;
    } else if (character === QUOTE) isInText = true;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth -= 1;
  }
  return false;
}

const MAX_DEPTH = 64;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Decodes the content of a `data:` URI (RFC 2397) in base64 or percent-encoding. */
export function decodeDataUri(uri: string): Uint8Array | undefined {
  const comma = uri.indexOf(",");
  if (comma < 0) return undefined;
  const isBase64 = /;\s*base64\s*$/i.test(uri.slice(0, comma));
  const data = uri.slice(comma + 1);
  return isBase64 ? base64Bytes(data) : percentBytes(data);
}

export function isDataUri(uri: string): boolean {
  return /^data:/i.test(uri);
}

export const METADATA_TOO_LARGE = `the metadata is larger than ${MAX_METADATA_BYTES} bytes`;

export function metadataProblem(text: string): MetadataResult {
  return { problem: text, retryAt: null };
}

/** Contracts use both base64 alphabets, with and without padding, sometimes percent-encoded as well. */
function base64Bytes(data: string): Uint8Array | undefined {
  const base64 = Buffer.from(percentBytes(data)).toString("latin1").replaceAll(/\s+/g, "");
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(base64) ? Buffer.from(base64, "base64") : undefined;
}

/** Percent signs without a valid escape are kept: some contracts do not escape their JSON. */
function percentBytes(data: string): Uint8Array {
  const bytes = Buffer.from(data, "utf8");
  const decoded = Buffer.alloc(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const escaped = byte === PERCENT ? bytes.toString("latin1", at + 1, at + 3) : "";
    if (/^[0-9a-fA-F]{2}$/.test(escaped)) {
      decoded[length] = Number.parseInt(escaped, 16);
      at += 2;
    } else decoded[length] = byte;
    length += 1;
  }
  return decoded.subarray(0, length);
}

const PERCENT = 0x25;
