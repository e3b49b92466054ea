import { isJsonObject, type JsonValue } from "@purse/protocol";
import type { Outcome } from "../store/nftMetadata.ts";
import { searchWords } from "./searchTerms.ts";

/** The largest metadata that is read, in bytes. */
export const MAX_METADATA = 1024 * 1024;
/** The longest address that is kept; a longer one can only be a `data:` URI, which is read at once. */
export const MAX_URI = 16_384;

/** Metadata as it came, if it is the text of a JSON object; nothing in it is run, fetched or followed. */
export function metadataOf(bytes: Uint8Array): Outcome {
  if (bytes.length > MAX_METADATA) return problem(TOO_LARGE);
  let text: string;
  let value: JsonValue;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
    if (isDeep(text)) return problem("the content is nested too deeply");
    value = JSON.parse(text);
  } catch {
    return problem("the content is not JSON");
  }
  if (!isJsonObject(value)) return problem("the content is not a JSON object");
  return { metadata: text, words: searchWords(value) };
}

/** Whether JSON is nested more deeply than anybody writes it, and than some readers can follow. */
function isDeep(json: string): boolean {
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

/** The content of a `data:` URI (RFC 2397), in base64 or percent-encoded. */
export function dataUriContent(uri: string): Uint8Array | undefined {
  const comma = uri.indexOf(",");
  if (comma < 0) return undefined;
  const isBase64 = /;\s*base64\s*$/i.test(uri.slice(0, comma));
  const data = uri.slice(comma + 1);
  return isBase64 ? base64Bytes(data) : percentBytes(data);
}

export function isDataUri(uri: string): boolean {
  return /^data:/i.test(uri);
}

export const TOO_LARGE = `the metadata is larger than ${MAX_METADATA} bytes`;

export function problem(text: string): Outcome {
  return { problem: text, again: null };
}

/** Contracts write base64 of either alphabet, with and without padding, some percent-encode it on top. */
function base64Bytes(data: string): Uint8Array | undefined {
  const bare = Buffer.from(percentBytes(data)).toString("latin1").replaceAll(/\s+/g, "");
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(bare) ? Buffer.from(bare, "base64") : undefined;
}

/** A percent sign that is no escape stands for itself: contracts put JSON in without escaping it. */
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
