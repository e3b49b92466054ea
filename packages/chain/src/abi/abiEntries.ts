import { isJsonObject, type JsonObject, type JsonValue, type ProtocolError } from "@purse/protocol";
import type { Abi, AbiEvent, AbiFunction, AbiParameter } from "viem";
import { invalid } from "../model/requestErrors.ts";

/** Parses a contract's ABI (Solidity, "Contract ABI Specification") from a request. */

export type AbiError = Extract<Abi[number], { type: "error" }>;
export type AbiEntry = AbiFunction | AbiEvent | AbiError;

const MAX_DEPTH = 16;
const MAX_TYPE_LENGTH = 64;
const TYPE =
  /^(?:u?int(?<bits>\d{1,3})?|address|bool|bytes(?<bytes>\d{1,2})?|string|function|tuple)(\[\d{0,6}\])*$/;
/** Integers without a size. Selectors are made of the names of types with it. */
const SHORT_INTEGER = /^(u?int)(?=\[|$)/;

/**
 * Returns the functions, events and errors; other entries are ignored. Throws ProtocolError with HTTP 400 for malformed
 * entries.
 */
export function parseAbiEntries(entries: readonly JsonObject[]): AbiEntry[] {
  return entries.flatMap((entry): AbiEntry[] => {
    const name = typeof entry.name === "string" ? entry.name : "";
    // Very old compilers omit the type of functions.
    if (entry.type === "function" || (entry.type === undefined && name !== "")) {
      return [
        {
          type: "function",
          name,
          inputs: parseParameters(entry.inputs, name),
          outputs: parseParameters(entry.outputs, name),
          stateMutability: parseMutability(entry),
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

function parseMutability({ stateMutability, constant, payable }: JsonObject): AbiFunction["stateMutability"] {
  switch (stateMutability) {
    case "view":
    case "pure":
    case "payable":
    case "nonpayable":
      return stateMutability;
    default:
      // Before Solidity 0.5: https://docs.soliditylang.org/en/v0.5.0/050-breaking-changes.html
      if (payable === true) return "payable";
      // Short entries that people write say nothing: a call is refused only where the ABI says that it writes.
      return constant === true || (constant === undefined && payable === undefined) ? "view" : "nonpayable";
  }
}

function parseParameters(value: unknown, of: string, depth = 0): AbiParameter[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || depth > MAX_DEPTH) throw malformedEntry(of);
  return value.map((each: unknown): AbiParameter => {
    if (typeof each !== "object" || each === null || !("type" in each)) throw malformedEntry(of);
    if (typeof each.type !== "string" || !isType(each.type)) throw malformedEntry(of);
    const type = each.type.replace(SHORT_INTEGER, "$1256");
    const name = "name" in each && typeof each.name === "string" ? { name: each.name } : {};
    if (!type.startsWith("tuple")) return { ...name, type };
    const components = parseParameters("components" in each ? each.components : undefined, of, depth + 1);
    return { ...name, type, components };
  });
}

/** The ABI in the file of a build tool, `{ "abi": … }`; undefined for other values. */
export function abiOfBuildFile(value: unknown): JsonValue | undefined {
  return isJsonObject(value) && value.type === undefined ? value.abi : undefined;
}

function isType(type: string): boolean {
  const { groups } = (type.length <= MAX_TYPE_LENGTH && TYPE.exec(type)) || {};
  if (!groups) return false;
  const { bits = "256", bytes = "32" } = groups;
  return Number(bits) % 8 === 0 && isSize(Number(bits) / 8) && isSize(Number(bytes));
}

/** Whether values of a type can have as many bytes. */
function isSize(bytes: number): boolean {
  return bytes >= 1 && bytes <= 32;
}

function malformedEntry(name: string): ProtocolError {
  return invalid(`abi has a malformed entry ${name}`.trim());
}
