import { isJsonObject } from "@purse/protocol";
import type { Abi, Hex } from "viem";
import { STANDARD_ERRORS } from "./standardErrors.ts";

/** The reason of a revert. */
export interface Revert {
  /** Human-readable: the contract's message, or the error's name with its arguments. */
  reason: string;
  /** A custom error, `Error` or `Panic`; null if neither the ABI nor a standard has the error. */
  errorName: string | null;
  errorArgs: readonly unknown[];
  /** The raw revert data, if the node returns it. */
  data: Hex | null;
}

/** Solidity's own errors (its documentation, "Panic via assert and Error via require"). */
const PANICS: Readonly<Record<string, string>> = {
  "1": "an assertion failed",
  "17": "arithmetic overflow or underflow",
  "18": "division by zero",
  "33": "a value is no member of its enum",
  "34": "damaged storage bytes",
  "49": "pop of an empty array",
  "50": "index out of bounds",
  "65": "too much memory",
  "81": "call of an uninitialized function",
};
const NO_REASON = "no reason given";
/** Properties in which wallets and nodes nest the revert data. */
const WRAPPERS = ["data", "error", "cause", "originalError", "info"] as const;
const MAX_DEPTH = 6;

export async function revertOf(error: unknown, abi: Abi = []): Promise<Revert | null> {
  const data = revertData(error) ?? dataInMessage(messageOf(error));
  if (data !== null && data !== "0x") return decodeRevert(data, abi);
  const match = /revert(?:ed)?(?:[^:'"]*[:'"]\s*)?(.*)$/is.exec(messageOf(error));
  if (data === null && match === null) return null;
  const reason = match?.[1]?.replace(/['"]$/, "").trim();
  return { reason: reason || NO_REASON, errorName: null, errorArgs: [], data };
}

export async function decodeRevert(data: Hex, abi: Abi = []): Promise<Revert> {
  const { decodeErrorResult, parseAbi } = await import("viem/utils");
  for (const known of [abi, parseAbi(STANDARD_ERRORS)]) {
    try {
      const { errorName, args = [] } = decodeErrorResult<Abi>({ abi: known, data });
      const errorArgs: readonly unknown[] = args;
      return { reason: describeError(errorName, errorArgs), errorName, errorArgs, data };
    } catch {
      // It has no such error.
    }
  }
  return { reason: data === "0x" ? NO_REASON : data, errorName: null, errorArgs: [], data };
}

function describeError(name: string, args: readonly unknown[]): string {
  const [first] = args;
  if (name === "Error") return String(first);
  if (name === "Panic") return PANICS[String(first)] ?? `panic ${first}`;
  return `${name}(${args.map(String).join(", ")})`;
}

function revertData(error: unknown, depth = 0): Hex | null {
  if (typeof error !== "object" || error === null || depth > MAX_DEPTH) return null;
  const fields = new Map<string, unknown>(WRAPPERS.map((name) => [name, Reflect.get(error, name)]));
  for (const value of fields.values()) {
    // The input of the call is also hex, but is not in one of these properties.
    if (isHexText(value)) return value;
    const inner = revertData(value, depth + 1);
    if (inner !== null) return inner;
  }
  return null;
}

/** The data of a custom error in the message of Anvil, as a selector and what follows it. */
function dataInMessage(message: string): Hex | null {
  const [, selector, rest = ""] =
    /custom error (0x[0-9a-f]{8})(?::\s*((?:[0-9a-f]{2})*)$)?/i.exec(message) ?? [];
  return selector === undefined ? null : `0x${selector.slice(2)}${rest}`;
}

function isHexText(value: unknown): value is Hex {
  return typeof value === "string" && /^0x([0-9a-f]{2})*$/i.test(value);
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return isJsonObject(error) && typeof error.message === "string" ? error.message : "";
}
