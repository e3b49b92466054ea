import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  parseJson,
} from "@purse/protocol";
import type { Cursor, FolderFile, Hex, Kind, KindTypes, OrderField } from "./rows/row.ts";

/** Max page size; also the default of old clients. */
const MAX_LIMIT = 500;
const MAX_OFFSET = 100_000;
const MAX_LIST = 100;
const MAX_TEXT = 1_000;
const MAX_DAYS = 3_650;
const MAX_UINT256 = 2n ** 256n - 1n;
/** Seconds exceed this in the year 5138, milliseconds since 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;
/** Latest time that Date supports, in seconds. */
const LAST_SECOND = 8_640_000_000_000;

type Parsers = {
  readonly [K in Kind]: (value: unknown, name: string, choices: readonly string[]) => KindTypes[K];
};

/** Parsers of parameter values by kind. Each throws 142 with HTTP 400. */
export const PARSERS: Parsers = {
  chain: parseChain,
  address: parseAddress,
  addresses: (value, name) => [...new Set(parseList(value, name).map((each) => parseAddress(each, name)))],
  hash: parseHash,
  blockOrHash: parseBlockOrHash,
  text: parseText,
  texts: (value, name) => [...new Set(parseList(value, name).map((each) => parseText(each, name)))],
  integer: parseInteger,
  block: parseInteger,
  time: parseTime,
  limit: parseLimit,
  offset: parseOffset,
  cursor: parseCursor,
  format: (value, name) => (parseChoice(value, name, ["decimal", "hex"]) === "hex" ? "hex" : "decimal"),
  choice: parseChoice,
  choices: (value, name, choices) => [
    ...new Set(parseList(value, name).map((each) => parseChoice(each, name, choices))),
  ],
  abi: parseAbi,
  json: parseObject,
  files: parseFiles,
  tokenId: parseTokenId,
  domain: parseDomain,
  days: parseDays,
  order: parseOrder,
  ignored: () => undefined,
};

function parseChain(value: unknown, name: string): string {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  if (typeof value === "string" && value.length <= MAX_TEXT) return value;
  throw invalid(`${name} must be the name or the id of a chain`);
}

/** Parses an address; returns it in lower case. */
function parseAddress(value: unknown, name: string): Hex {
  const digits = typeof value === "string" ? /^0x([0-9a-f]{40})$/i.exec(value.trim())?.[1] : undefined;
  if (digits === undefined) throw invalid(`${name} must be an address: 0x and 40 hexadecimal digits`);
  return `0x${digits.toLowerCase()}`;
}

function parseHash(value: unknown, name: string): Hex {
  const hash = toHash(value);
  if (hash === undefined) throw invalid(`${name} must be a hash: 0x and 64 hexadecimal digits`);
  return hash;
}

function toHash(value: unknown): Hex | undefined {
  const digits = typeof value === "string" ? /^0x([0-9a-f]{64})$/i.exec(value.trim())?.[1] : undefined;
  return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
}

function parseBlockOrHash(value: unknown, name: string): number | Hex | "latest" {
  if (value === "latest") return "latest";
  const found = toHash(value) ?? toInteger(value);
  if (found === undefined)
    throw invalid(`${name} must be a block number, a hash of 0x and 64 hexadecimal digits, or latest`);
  return found;
}

/** A list as an array, as repeated parameters, or as text with commas. */
function parseList(value: unknown, name: string): unknown[] {
  // One extra item shows that there are too many.
  const list = Array.isArray(value)
    ? value
    : typeof value === "string"
      ? value.split(",", MAX_LIST + 1)
      : [value];
  if (list.length === 0) throw invalid(`${name} must contain at least one item`);
  if (list.length > MAX_LIST) throw invalid(`${name} must contain at most ${MAX_LIST} items`);
  return list.map((each) => (typeof each === "string" ? each.trim() : each));
}

function parseText(value: unknown, name: string): string {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text.trim() === "" || text.length > MAX_TEXT)
    throw invalid(`${name} must be text of 1 to ${MAX_TEXT} characters`);
  return text;
}

/** A non-negative integer, as number or decimal text. */
function parseInteger(value: unknown, name: string): number {
  const integer = toInteger(value);
  if (integer === undefined) throw invalid(`${name} must be a non-negative integer`);
  return integer;
}

function toInteger(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/**
 * A time as ISO 8601 or another format that Date parses, or as seconds or milliseconds since the epoch. Returns
 * seconds.
 */
function parseTime(value: unknown, name: string): number {
  const seconds = toSeconds(isJsonObject(value) && value.__type === "Date" ? value.iso : value);
  if (seconds !== undefined && Math.abs(seconds) <= LAST_SECOND) return Math.floor(seconds);
  throw invalid(`${name} must be a date, or seconds or milliseconds since the epoch`);
}

function toSeconds(value: unknown): number | undefined {
  if (typeof value === "string" && !/^\d{1,15}$/.test(value.trim())) {
    const ms = value.length <= MAX_TEXT ? Date.parse(value) : Number.NaN;
    return Number.isNaN(ms) ? undefined : ms / 1000;
  }
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
  return number < FIRST_MILLISECONDS ? number : number / 1000;
}

function parseLimit(value: unknown, name: string): number {
  const limit = parseInteger(value, name);
  if (limit < 1) throw invalid(`${name} must be at least 1`);
  return Math.min(limit, MAX_LIMIT);
}

function parseOffset(value: unknown, name: string): number {
  const offset = parseInteger(value, name);
  if (offset > MAX_OFFSET) throw invalid(`${name} must be at most ${MAX_OFFSET}: use cursor to continue`);
  return offset;
}

function parseChoice(value: unknown, name: string, choices: readonly string[]): string {
  const found = choices.find((each) => typeof value === "string" && each === value.trim().toLowerCase());
  if (found !== undefined) return found;
  throw invalid(`${name} must be ${choices.length === 1 ? "" : "one of "}${choices.join(", ")}`);
}

/** Entries of an ABI: a list, a single entry, or either as JSON text. */
function parseAbi(value: unknown, name: string): JsonObject[] {
  const parsed = parseIfText(value, name);
  const list: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  const entries = list.filter((each) => isJsonObject(each) && Object.keys(each).length > 0);
  if (entries.length === 0 || entries.length !== list.length)
    throw invalid(`${name} must be an ABI: a list of entries or a single entry`);
  return entries.filter((each) => isJsonObject(each));
}

function parseObject(value: unknown, name: string): JsonObject {
  const parsed = parseIfText(value, name);
  if (isJsonObject(parsed)) return parsed;
  throw invalid(`${name} must be an object`);
}

/** Query strings contain text only. */
function parseIfText(value: unknown, name: string): unknown {
  if (typeof value !== "string") return value;
  try {
    return parseJson(value);
  } catch (error) {
    if (error instanceof ProtocolError) throw invalid(`${name}: ${error.message}`);
    throw invalid(`${name} must be JSON`);
  }
}

function parseFiles(value: unknown, name: string): FolderFile[] {
  const parsed = parseIfText(value, name);
  if (!Array.isArray(parsed) || parsed.length === 0)
    throw invalid(`${name} must be a list of files: [{"path", "content"}]`);
  const files = parsed.map((each: unknown): FolderFile => {
    if (!isJsonObject(each) || each.content === undefined || each.content === null)
      throw invalid(`${name} must be a list of files, each with a path and a content`);
    return { path: parsePath(each.path, name), content: each.content };
  });
  if (new Set(files.map(({ path }) => path)).size < files.length)
    throw invalid(`${name} must not contain two files with the same path`);
  return files;
}

function parsePath(value: JsonValue | undefined, name: string): string {
  const path = typeof value === "string" && value.length <= MAX_TEXT ? value.replace(/^\/+/, "") : "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (/[\\\u0000-\u001f\u007f]/.test(path) || path.split("/").some((each) => /^\.{0,2}$/.test(each)))
    throw invalid(`${name} must contain relative paths such as folder/file.txt, without . and .. segments`);
  return path;
}

/** A uint256 as decimal or hex with 0x. */
function parseTokenId(value: unknown, name: string): bigint {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  // The largest has 78 decimal digits; longer text is not parsed.
  if (typeof text === "string" && /^(\d{1,78}|0x[0-9a-f]{1,64})$/i.test(text.trim())) {
    const id = BigInt(text.trim().toLowerCase());
    if (id <= MAX_UINT256) return id;
  }
  throw invalid(`${name} must be a token id: an integer below 2^256, decimal or hexadecimal with 0x`);
}

/** A name with labels and dots; the registry decides whether it exists. */
function parseDomain(value: unknown, name: string): string {
  const domain = typeof value === "string" && value.length <= MAX_TEXT ? value.trim().toLowerCase() : "";
  const labels = domain.split(".");
  const isDomain =
    labels.length > 1 && domain.length <= 255 && labels.every((each) => /^[^\s\p{C}/\\?#%]+$/u.test(each));
  if (isDomain) return domain;
  throw invalid(`${name} must be a domain such as name.eth`);
}

function parseDays(value: unknown, name: string): number {
  const days = toInteger(value);
  if (days !== undefined && days >= 1 && days <= MAX_DAYS) return days;
  throw invalid(`${name} must be an integer from 1 to ${MAX_DAYS}`);
}

function parseOrder(value: unknown, name: string): OrderField[] {
  return parseList(value, name).map((each) => {
    const [, field, direction] = /^([a-z_]{1,64})(?:\.(asc|desc))?$/i.exec(String(each)) ?? [];
    if (field === undefined)
      throw invalid(`${name} must be field names with .ASC or .DESC, separated by commas`);
    return { field: field.toLowerCase(), descending: direction?.toLowerCase() === "desc" };
  });
}

function parseCursor(value: unknown, name: string): Cursor {
  const text = typeof value === "string" ? Buffer.from(value, "base64url").toString("latin1") : "";
  if (!/^((\d{1,16}|0x[0-9a-f]{1,64})\.){1,8}\d{1,15}$/.test(text)) throw invalid(`${name} is invalid`);
  const parts = text.split(".").map((part) => (part.startsWith("0x") ? part : Number(part)));
  const page = Number(parts.pop());
  return { parts, page };
}

export function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, message, 400);
}
