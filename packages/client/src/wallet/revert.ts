import { isJsonObject } from "@purse/protocol";
import type { Abi, Hex } from "viem";

/** Why a contract has refused a call. */
export interface Revert {
  /** As people read it: the text that the contract gave, or the error's name with what it carries. */
  reason: string;
  /** Of a custom error, `Error` or `Panic`; null where the contract gave nothing that the ABI knows. */
  errorName: string | null;
  errorArgs: readonly unknown[];
  /** What the contract answered, where the node tells it. */
  data: Hex | null;
}

/** A call that a contract refuses. `code`, `reason`, `errorName` and `errorArgs` are what old code looks at. */
export class RevertError extends Error {
  override readonly name = "RevertError";
  readonly code = "CALL_EXCEPTION";
  readonly reason: string;
  readonly errorName: string | null;
  readonly errorArgs: readonly unknown[];
  readonly data: Hex | null;

  constructor(revert: Revert, options?: ErrorOptions) {
    super(`execution reverted: ${revert.reason}`, options);
    this.reason = revert.reason;
    this.errorName = revert.errorName;
    this.errorArgs = revert.errorArgs;
    this.data = revert.data;
  }
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
  "81": "call of an uninitialised function",
};
const SILENT = "no reason given";
/** Where wallets and nodes put what the contract answered, one inside the other. */
const WRAPPERS = ["data", "error", "cause", "originalError", "info"] as const;
const DEEPEST = 6;

/** The refusal that a node's error tells of; null where it is another error. */
export async function revertOf(error: unknown, abi: Abi = []): Promise<Revert | null> {
  const data = revertData(error);
  if (data !== null && data !== "0x") return decodeRevert(data, abi);
  const said = /revert(?:ed)?(?:[^:'"]*[:'"]\s*)?(.*)$/is.exec(messageOf(error));
  if (data === null && said === null) return null;
  const reason = said?.[1]?.replace(/['"]$/, "").trim();
  return { reason: reason || SILENT, errorName: null, errorArgs: [], data };
}

/** Reads what a contract answered when it refused. */
export async function decodeRevert(data: Hex, abi: Abi = []): Promise<Revert> {
  const { decodeErrorResult } = await import("viem/utils");
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi, data });
    const errorArgs: readonly unknown[] = args;
    return { reason: wordsOf(errorName, errorArgs), errorName, errorArgs, data };
  } catch {
    // An error that the ABI does not name; its bytes are all there is to tell.
    return { reason: data === "0x" ? SILENT : data, errorName: null, errorArgs: [], data };
  }
}

function wordsOf(name: string, args: readonly unknown[]): string {
  const [first] = args;
  if (name === "Error") return String(first);
  if (name === "Panic") return PANICS[String(first)] ?? `panic ${first}`;
  return `${name}(${args.map(String).join(", ")})`;
}

function revertData(error: unknown, depth = 0): Hex | null {
  if (typeof error !== "object" || error === null || depth > DEEPEST) return null;
  const fields = new Map<string, unknown>(WRAPPERS.map((name) => [name, Reflect.get(error, name)]));
  for (const value of fields.values()) {
    // A call's own input is hex too, but stands in a transaction, not in these places.
    if (isHexText(value)) return value;
    const inner = revertData(value, depth + 1);
    if (inner !== null) return inner;
  }
  return null;
}

function isHexText(value: unknown): value is Hex {
  return typeof value === "string" && /^0x([0-9a-f]{2})*$/i.test(value);
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return isJsonObject(error) && typeof error.message === "string" ? error.message : "";
}
