import type { JsonValue } from "@purse/protocol";
import { InvalidNodeDataError } from "./rpcErrors.ts";

/**
 * Parsers for the hex values of JSON-RPC (https://ethereum.github.io/execution-apis). All throw InvalidNodeDataError
 * for invalid values.
 */

export function parseQuantity(value: JsonValue | undefined): number {
  const number = typeof value === "string" && isHexNumber(value) ? Number.parseInt(value, 16) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new InvalidNodeDataError(`${preview(value)} is not a quantity`);
  return number;
}

/** Parses a quantity of any size to decimal text. */
export function parseBigQuantity(value: JsonValue | undefined): string {
  if (typeof value !== "string" || !isHexNumber(value))
    throw new InvalidNodeDataError(`${preview(value)} is not a quantity`);
  // Most values fit into a number, which is much faster to parse.
  return value.length <= 14 ? String(Number.parseInt(value, 16)) : BigInt(value).toString();
}

export function parseHash(value: JsonValue | undefined): string {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value)) return value.toLowerCase();
  throw new InvalidNodeDataError(`${preview(value)} is not a hash`);
}

export function parseAddress(value: JsonValue | undefined): string {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)) return value.toLowerCase();
  throw new InvalidNodeDataError(`${preview(value)} is not an address`);
}

/** Parses bytes of any length. */
export function parseBytes(value: JsonValue | undefined): string {
  if (typeof value === "string" && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value))
    return value.toLowerCase();
  throw new InvalidNodeDataError(`${preview(value)} is not bytes`);
}

export function parseText(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  throw new InvalidNodeDataError(`${preview(value)} is not a string`);
}

export function toHexQuantity(number: number): string {
  return `0x${number.toString(16)}`;
}

function isHexNumber(value: string): boolean {
  return /^0x[0-9a-fA-F]+$/.test(value);
}

function preview(value: JsonValue | undefined): string {
  return JSON.stringify(value ?? null).slice(0, 100);
}
