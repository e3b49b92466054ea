import { ErrorCode, ProtocolError } from "@purse/protocol";

export type Parameters = Record<string, unknown>;

/** What old clients take for a page where they name no size. */
export const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 500;

/** An address, any case; answered in lower case. A path parameter is always required. */
export function addressParameter(parameters: Parameters, name: string): string {
  const value = parameters[name];
  if (value === undefined || value === null || value === "")
    throw invalid(`required param ${name} not provided`);
  return addressOf(value, name);
}

export function addressesParameter(parameters: Parameters, name: string): string[] | undefined {
  const value = parameters[name];
  if (value === undefined || value === null || value === "") return undefined;
  const list = Array.isArray(value) ? value : String(value).split(",");
  if (list.length > 100) throw invalid(`${name} takes 100 addresses at most`);
  const addresses = list.map((each) => addressOf(typeof each === "string" ? each.trim() : each, name));
  return [...new Set(addresses)];
}

/** A non-negative whole number, as a number or text. */
export function wholeParameter(parameters: Parameters, name: string): number | undefined {
  const value = parameters[name];
  if (value === undefined || value === null || value === "") return undefined;
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 0) {
    throw invalid(`${name} must be a non-negative whole number`);
  }
  return number;
}

/** A moment: ISO 8601 or anything else that Date reads, or seconds or milliseconds since the epoch. Answers seconds. */
export function timeParameter(parameters: Parameters, name: string): number | undefined {
  const value = parameters[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "number" || /^\d{1,15}$/.test(String(value))) {
    const number = Number(value);
    // Seconds reach this only in the year 5138, milliseconds have done so since 1973.
    return Math.floor(number < 100_000_000_000 ? number : number / 1000);
  }
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw invalid(`${name} must be a date`);
  return Math.floor(ms / 1000);
}

export function limitParameter(parameters: Parameters): number {
  const limit = wholeParameter(parameters, "limit") ?? DEFAULT_LIMIT;
  if (limit < 1) throw invalid("limit must be at least 1");
  return Math.min(limit, MAX_LIMIT);
}

/** The place behind an opaque cursor, with the page that it begins. */
export function cursorParameter(
  parameters: Parameters,
): { blockNumber: number; logIndex: number; page: number } | undefined {
  const value = parameters.cursor;
  if (value === undefined || value === null || value === "") return undefined;
  const text = typeof value === "string" ? Buffer.from(value, "base64url").toString("utf8") : "";
  const match = /^(\d{1,15})\.(\d{1,9})\.(\d{1,9})$/.exec(text);
  if (!match) throw invalid("cursor is not one that this server has given");
  return { blockNumber: Number(match[1]), logIndex: Number(match[2]), page: Number(match[3]) };
}

export function cursorText(blockNumber: number, logIndex: number, page: number): string {
  return Buffer.from(`${blockNumber}.${logIndex}.${page}`).toString("base64url");
}

function addressOf(value: unknown, name: string): string {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)) return value.toLowerCase();
  throw invalid(`${name} must be an address: 0x and 40 hexadecimal digits`);
}

export function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, message, 400);
}
