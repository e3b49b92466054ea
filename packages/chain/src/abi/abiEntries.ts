import {
  abiItems,
  abiMutability,
  abiType,
  isAbiFunction,
  isJsonObject,
  type JsonObject,
  MAX_DECLARATIONS_LENGTH,
  type ProtocolError,
} from "@purse/protocol";
import { type Abi, type AbiEvent, type AbiFunction, type AbiParameter, BaseError, parseAbi } from "viem";
import { invalid } from "../model/requestErrors.ts";

/** Parses a contract's ABI (Solidity, "Contract ABI Specification") from a request. */

export type AbiError = Extract<Abi[number], { type: "error" }>;
export type AbiEntry = AbiFunction | AbiEvent | AbiError;

const MAX_DEPTH = 16;
const DECLARATION = /^(?:event|function|error|struct|constructor|fallback|receive)\b/;
const ABI_ERROR = "must be an ABI: a list of entries or a single entry";

/**
 * The entries of an ABI that a request has in any of the forms of `abiItems`. Throws ProtocolError with HTTP 400 for
 * others.
 */
export function abiEntriesOf(abi: unknown): JsonObject[] {
  const entries = abi === undefined || abi === null ? [] : entriesOrProblem(abi);
  if (typeof entries === "string") throw invalid(`abi ${entries}`);
  return entries;
}

/** The entries of an ABI, or why there are none, as a sentence that begins with its name. */
export function entriesOrProblem(abi: unknown): JsonObject[] | string {
  const items = abiItems(abi);
  if (!items) return typeof abi === "string" && /^\s*[[{]/.test(abi) ? "must be JSON" : ABI_ERROR;
  const declarations = items.filter((item) => typeof item === "string");
  const entries = items.filter(isJsonObject);
  if (declarations.length + entries.length < items.length) return ABI_ERROR;
  if (declarations.reduce((sum, { length }) => sum + length, 0) > MAX_DECLARATIONS_LENGTH)
    return `takes at most ${MAX_DECLARATIONS_LENGTH} characters of declarations; send longer ones as JSON`;
  if (!declarations.every((text) => DECLARATION.test(text))) return ABI_ERROR;
  if (declarations.length === 0) return entries;
  try {
    return [
      ...entries,
      ...parseAbi(declarations).map((entry): JsonObject => JSON.parse(JSON.stringify(entry))),
    ];
  } catch (error) {
    return `has a malformed declaration: ${error instanceof BaseError ? error.shortMessage : declarations[0]}`;
  }
}

/**
 * Returns the functions, events and errors; other entries are ignored. Throws ProtocolError with HTTP 400 for malformed
 * entries.
 */
export function parseAbiEntries(entries: readonly JsonObject[]): AbiEntry[] {
  return entries.flatMap((entry): AbiEntry[] => {
    const name = typeof entry.name === "string" ? entry.name : "";
    if (isAbiFunction(entry)) {
      return [
        {
          type: "function",
          name,
          inputs: parseParameters(entry.inputs, name),
          outputs: parseParameters(entry.outputs, name),
          // A call is refused only where the ABI says that it writes.
          stateMutability: abiMutability(entry) ?? "view",
        },
      ];
    }
    if (entry.type === "error") return [{ type: "error", name, inputs: parseParameters(entry.inputs, name) }];
    if (entry.type !== "event") return [];
    const inputs = parseParameters(entry.inputs, name);
    const indexed = Array.isArray(entry.inputs) ? entry.inputs : [];
    return [
      {
        type: "event",
        name,
        anonymous: entry.anonymous === true,
        inputs: inputs.map((input, i) => ({ ...input, indexed: Object(indexed[i]).indexed === true })),
      },
    ];
  });
}

function parseParameters(value: unknown, of: string, depth = 0): AbiParameter[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || depth > MAX_DEPTH) throw malformedEntry(of);
  return value.map((each: unknown): AbiParameter => {
    if (typeof each !== "object" || each === null || !("type" in each)) throw malformedEntry(of);
    const type = abiType(each.type);
    if (type === undefined) throw malformedEntry(of);
    const name = "name" in each && typeof each.name === "string" ? { name: each.name } : {};
    if (!type.startsWith("tuple")) return { ...name, type };
    const components = parseParameters("components" in each ? each.components : undefined, of, depth + 1);
    return { ...name, type, components };
  });
}

function malformedEntry(name: string): ProtocolError {
  return invalid(`abi has a malformed entry ${name}`.trim());
}
