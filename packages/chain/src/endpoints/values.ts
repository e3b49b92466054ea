import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  parseJson,
} from "@purse/protocol";
import type { Cursor, FolderFile, Hex, Kind, KindTypes, OrderField } from "./rows/row.ts";

/** The largest page, and what old clients take for one where they name no size. */
const MAX_LIMIT = 500;
const MAX_OFFSET = 100_000;
const MAX_LIST = 100;
const MAX_TEXT = 1_000;
const MAX_DAYS = 3_650;
const MAX_UINT256 = 2n ** 256n - 1n;
/** Seconds reach this only in the year 5138, milliseconds have done so since 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;
/** As far as Date goes, in seconds. */
const LAST_SECOND = 8_640_000_000_000;

type Readers = {
  readonly [K in Kind]: (value: unknown, name: string, choices: readonly string[]) => KindTypes[K];
};

/** Reads the value of a parameter, by its kind. Each throws 142 with HTTP 400. */
export const READERS: Readers = {
  chain: chainOf,
  address: addressOf,
  addresses: (value, name) => [...new Set(listOf(value, name).map((each) => addressOf(each, name)))],
  hash: hashOf,
  blockOrHash: blockOrHashOf,
  text: textOf,
  texts: (value, name) => [...new Set(listOf(value, name).map((each) => textOf(each, name)))],
  whole: wholeOf,
  block: wholeOf,
  time: timeOf,
  limit: limitOf,
  offset: offsetOf,
  cursor: cursorOf,
  format: (value, name) => (choiceOf(value, name, ["decimal", "hex"]) === "hex" ? "hex" : "decimal"),
  choice: choiceOf,
  choices: (value, name, choices) => [
    ...new Set(listOf(value, name).map((each) => choiceOf(each, name, choices))),
  ],
  abi: abiOf,
  json: jsonOf,
  files: filesOf,
  tokenId: tokenIdOf,
  domain: domainOf,
  days: daysOf,
  order: orderOf,
  ignored: () => undefined,
};

function chainOf(value: unknown, name: string): string {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  if (typeof value === "string" && value.length <= MAX_TEXT) return value;
  throw invalid(`${name} must be the name or the id of a chain`);
}

/** An address, any case; answered in lower case. */
function addressOf(value: unknown, name: string): Hex {
  const digits = typeof value === "string" ? /^0x([0-9a-f]{40})$/i.exec(value.trim())?.[1] : undefined;
  if (digits === undefined) throw invalid(`${name} must be an address: 0x and 40 hexadecimal digits`);
  return `0x${digits.toLowerCase()}`;
}

function hashOf(value: unknown, name: string): Hex {
  const hash = hashIn(value);
  if (hash === undefined) throw invalid(`${name} must be a hash: 0x and 64 hexadecimal digits`);
  return hash;
}

function hashIn(value: unknown): Hex | undefined {
  const digits = typeof value === "string" ? /^0x([0-9a-f]{64})$/i.exec(value.trim())?.[1] : undefined;
  return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
}

function blockOrHashOf(value: unknown, name: string): number | Hex | "latest" {
  if (value === "latest") return "latest";
  const found = hashIn(value) ?? wholeIn(value);
  if (found === undefined)
    throw invalid(`${name} must be a block number, a hash of 0x and 64 hexadecimal digits, or latest`);
  return found;
}

/** A list as one, as texts under the same name, or as one text with commas. */
function listOf(value: unknown, name: string): unknown[] {
  // One more than may be shows that there are too many.
  const list = Array.isArray(value)
    ? value
    : typeof value === "string"
      ? value.split(",", MAX_LIST + 1)
      : [value];
  if (list.length === 0) throw invalid(`${name} must name one at least`);
  if (list.length > MAX_LIST) throw invalid(`${name} takes ${MAX_LIST} at most`);
  return list.map((each) => (typeof each === "string" ? each.trim() : each));
}

function textOf(value: unknown, name: string): string {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text.trim() === "" || text.length > MAX_TEXT)
    throw invalid(`${name} must be text of 1 to ${MAX_TEXT} characters`);
  return text;
}

/** A non-negative whole number, as a number or decimal text. */
function wholeOf(value: unknown, name: string): number {
  const whole = wholeIn(value);
  if (whole === undefined) throw invalid(`${name} must be a non-negative whole number`);
  return whole;
}

function wholeIn(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** A moment: ISO 8601 or anything else that Date reads, or seconds or milliseconds since the epoch. In seconds. */
function timeOf(value: unknown, name: string): number {
  const seconds = secondsIn(isJsonObject(value) && value.__type === "Date" ? value.iso : value);
  if (seconds !== undefined && Math.abs(seconds) <= LAST_SECOND) return Math.floor(seconds);
  throw invalid(`${name} must be a date, or seconds or milliseconds since the epoch`);
}

function secondsIn(value: unknown): number | undefined {
  if (typeof value === "string" && !/^\d{1,15}$/.test(value.trim())) {
    const ms = value.length <= MAX_TEXT ? Date.parse(value) : Number.NaN;
    return Number.isNaN(ms) ? undefined : ms / 1000;
  }
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
  return number < FIRST_MILLISECONDS ? number : number / 1000;
}

function limitOf(value: unknown, name: string): number {
  const limit = wholeOf(value, name);
  if (limit < 1) throw invalid(`${name} must be at least 1`);
  return Math.min(limit, MAX_LIMIT);
}

function offsetOf(value: unknown, name: string): number {
  const offset = wholeOf(value, name);
  if (offset > MAX_OFFSET) throw invalid(`${name} reaches ${MAX_OFFSET} at most: go on by cursor`);
  return offset;
}

function choiceOf(value: unknown, name: string, choices: readonly string[]): string {
  const found = choices.find((each) => typeof value === "string" && each === value.trim().toLowerCase());
  if (found !== undefined) return found;
  throw invalid(`${name} must be ${choices.length === 1 ? "" : "one of "}${choices.join(", ")}`);
}

/** The entries of an ABI: a list of them, one alone, or either as JSON text. */
function abiOf(value: unknown, name: string): JsonObject[] {
  const parsed = parsedText(value, name);
  const list: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  const entries = list.filter((each) => isJsonObject(each) && Object.keys(each).length > 0);
  if (entries.length === 0 || entries.length !== list.length)
    throw invalid(`${name} must be an ABI: a list of its entries, or one of them`);
  return entries.filter((each) => isJsonObject(each));
}

function jsonOf(value: unknown, name: string): JsonObject {
  const parsed = parsedText(value, name);
  if (isJsonObject(parsed)) return parsed;
  throw invalid(`${name} must be an object`);
}

/** Values that come by a query string are text. */
function parsedText(value: unknown, name: string): unknown {
  if (typeof value !== "string") return value;
  try {
    return parseJson(value);
  } catch (error) {
    if (error instanceof ProtocolError) throw invalid(`${name}: ${error.message}`);
    throw invalid(`${name} must be JSON`);
  }
}

function filesOf(value: unknown, name: string): FolderFile[] {
  const parsed = parsedText(value, name);
  if (!Array.isArray(parsed) || parsed.length === 0)
    throw invalid(`${name} must be a list of files: [{"path", "content"}]`);
  const files = parsed.map((each: unknown): FolderFile => {
    if (!isJsonObject(each) || each.content === undefined || each.content === null)
      throw invalid(`${name} must be a list of files, each with a path and a content`);
    return { path: pathOf(each.path, name), content: each.content };
  });
  if (new Set(files.map(({ path }) => path)).size < files.length)
    throw invalid(`${name} must not have two files of one path`);
  return files;
}

function pathOf(value: JsonValue | undefined, name: string): string {
  const path = typeof value === "string" && value.length <= MAX_TEXT ? value.replace(/^\/+/, "") : "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (/[\\\u0000-\u001f\u007f]/.test(path) || path.split("/").some((each) => /^\.{0,2}$/.test(each)))
    throw invalid(`${name} must have relative paths, as folder/file.txt, without . and .. in them`);
  return path;
}

/** A uint256, decimal or in hexadecimal with 0x. */
function tokenIdOf(value: unknown, name: string): bigint {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  // 78 decimal digits hold the largest; longer text is not worth reading.
  if (typeof text === "string" && /^(\d{1,78}|0x[0-9a-f]{1,64})$/i.test(text.trim())) {
    const id = BigInt(text.trim().toLowerCase());
    if (id <= MAX_UINT256) return id;
  }
  throw invalid(`${name} must be a token id: a whole number below 2^256, decimal or in hexadecimal with 0x`);
}

/** A name of labels and dots; which of them there are is for the registry to say. */
function domainOf(value: unknown, name: string): string {
  const domain = typeof value === "string" && value.length <= MAX_TEXT ? value.trim().toLowerCase() : "";
  const labels = domain.split(".");
  const isDomain =
    labels.length > 1 && domain.length <= 255 && labels.every((each) => /^[^\s\p{C}/\\?#%]+$/u.test(each));
  if (isDomain) return domain;
  throw invalid(`${name} must be a domain, as name.eth`);
}

function daysOf(value: unknown, name: string): number {
  const days = wholeIn(value);
  if (days !== undefined && days >= 1 && days <= MAX_DAYS) return days;
  throw invalid(`${name} must be a whole number from 1 to ${MAX_DAYS}`);
}

function orderOf(value: unknown, name: string): OrderField[] {
  return listOf(value, name).map((each) => {
    const [, field, direction] = /^([a-z_]{1,64})(?:\.(asc|desc))?$/i.exec(String(each)) ?? [];
    if (field === undefined)
      throw invalid(`${name} must be fields with .ASC or .DESC behind them, separated by commas`);
    return { field: field.toLowerCase(), descending: direction?.toLowerCase() === "desc" };
  });
}

function cursorOf(value: unknown, name: string): Cursor {
  const text = typeof value === "string" ? Buffer.from(value, "base64url").toString("latin1") : "";
  if (!/^((\d{1,16}|0x[0-9a-f]{1,64})\.){1,8}\d{1,15}$/.test(text))
    throw invalid(`${name} is not one that this server has given`);
  const parts = text.split(".").map((part) => (part.startsWith("0x") ? part : Number(part)));
  const page = Number(parts.pop());
  return { parts, page };
}

export function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, message, 400);
}
