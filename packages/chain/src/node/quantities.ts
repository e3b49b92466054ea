import type { JsonValue } from "@purse/protocol";
import { LyingNode } from "./rpcErrors.ts";

/** Reads the hex of JSON-RPC (https://ethereum.github.io/execution-apis). All throw LyingNode for anything else. */

export function quantity(value: JsonValue | undefined): number {
  const number = typeof value === "string" && isHexNumber(value) ? Number.parseInt(value, 16) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new LyingNode(`${shown(value)} is not a quantity`);
  return number;
}

/** A quantity of any size, as decimal text. */
export function bigQuantity(value: JsonValue | undefined): string {
  if (typeof value !== "string" || !isHexNumber(value))
    throw new LyingNode(`${shown(value)} is not a quantity`);
  // Most fit into a number, and so are read much faster.
  return value.length <= 14 ? String(Number.parseInt(value, 16)) : BigInt(value).toString();
}

export function hash(value: JsonValue | undefined): string {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value)) return value.toLowerCase();
  throw new LyingNode(`${shown(value)} is not a hash`);
}

export function address(value: JsonValue | undefined): string {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)) return value.toLowerCase();
  throw new LyingNode(`${shown(value)} is not an address`);
}

/** Whole bytes of any number. */
export function bytes(value: JsonValue | undefined): string {
  if (typeof value === "string" && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value))
    return value.toLowerCase();
  throw new LyingNode(`${shown(value)} is not bytes`);
}

export function text(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  throw new LyingNode(`${shown(value)} is not a text`);
}

export function hex(number: number): string {
  return `0x${number.toString(16)}`;
}

function isHexNumber(value: string): boolean {
  return /^0x[0-9a-fA-F]+$/.test(value);
}

function shown(value: JsonValue | undefined): string {
  return JSON.stringify(value ?? null).slice(0, 100);
}
