import { type JsonValue, type ProtocolError, parseJson } from "@purse/protocol";
import type { AbiParameter } from "viem";
import { invalid } from "../model/requestErrors.ts";

/** Converts a decoded value to JSON: integers to decimal text, bytes to hex, addresses to lower case. */
export function valueToJson(value: unknown, parameter: AbiParameter): JsonValue {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value;
  if (typeof value === "string") return parameter.type.startsWith("address") ? value.toLowerCase() : value;
  const inner = itemParameter(parameter);
  if (inner && Array.isArray(value)) return value.map((each) => valueToJson(each, inner));
  const components = tupleComponents(parameter);
  if (components.length > 0 && typeof value === "object" && value !== null)
    return valuesToJson(value, components);
  return null;
}

/** Converts several values to an object. Values without a name are keyed by their index. */
export function valuesToJson(
  values: object,
  parameters: readonly AbiParameter[],
): { [name: string]: JsonValue } {
  return Object.fromEntries(
    parameters.map((parameter, i): [string, JsonValue] => {
      const value = Array.isArray(values) ? values[i] : Object(values)[parameter.name ?? i];
      return [parameter.name || String(i), valueToJson(value, parameter)];
    }),
  );
}

/**
 * Parses an argument from a request for viem: numbers from numbers and decimal or hex text, lists and tuples also
 * from JSON text. Throws ProtocolError with HTTP 400.
 */
export function parseArgument(value: unknown, parameter: AbiParameter, path: string): unknown {
  const inner = itemParameter(parameter);
  if (inner) {
    const list = parseIfText(value);
    if (!Array.isArray(list)) throw invalidArgument(path, "a list");
    return list.map((each, i) => parseArgument(each, inner, `${path}[${i}]`));
  }
  if (parameter.type === "tuple") return parseTuple(parseIfText(value), tupleComponents(parameter), path);
  if (/^u?int/.test(parameter.type)) return parseInteger(value, parameter.type, path);
  if (parameter.type === "bool") return parseBoolean(value, path);
  if (parameter.type === "address") {
    if (typeof value === "string" && /^0x[0-9a-f]{40}$/i.test(value.trim()))
      return value.trim().toLowerCase();
    throw invalidArgument(path, "an address");
  }
  if (parameter.type === "string") {
    if (typeof value === "string") return value;
    if (typeof value === "number") return String(value);
    throw invalidArgument(path, "text");
  }
  return parseBytes(value, parameter.type, path);
}

function parseTuple(value: unknown, components: readonly AbiParameter[], path: string): unknown {
  if (typeof value !== "object" || value === null) throw invalidArgument(path, "an object or a list");
  const fields = components.map((component, i) => {
    const name = component.name ?? "";
    const field = Array.isArray(value)
      ? value[i]
      : Object.hasOwn(value, name)
        ? Object(value)[name]
        : undefined;
    const fieldPath = `${path}.${name || i}`;
    if (field === undefined) throw invalid(`${fieldPath} is required`);
    return parseArgument(field, component, fieldPath);
  });
  // viem expects an object if all components have names, otherwise an array.
  if (components.some(({ name }) => !name)) return fields;
  return Object.fromEntries(components.map(({ name = "" }, i) => [name, fields[i]]));
}

function parseInteger(value: unknown, type: string, path: string): bigint {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== "string" || !/^\s*(-?\d{1,78}|0x[0-9a-f]{1,64})\s*$/i.test(text))
    throw invalidArgument(path, "an integer");
  const number = BigInt(text.trim());
  const bits = BigInt(type.replace(/^u?int/, "") || 256);
  const [low, high] = type.startsWith("u")
    ? [0n, 2n ** bits - 1n]
    : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
  if (number < low || number > high) throw invalidArgument(path, `a number in the range of ${type}`);
  return number;
}

function parseBoolean(value: unknown, path: string): boolean {
  if (value === true || value === "true" || value === 1 || value === "1") return true;
  if (value === false || value === "false" || value === 0 || value === "0") return false;
  throw invalidArgument(path, "true or false");
}

function parseBytes(value: unknown, type: string, path: string): string {
  const size = Number(/^bytes(\d+)$/.exec(type)?.[1] ?? (type === "function" ? 24 : 0));
  // No repeated group: it would use stack space for each byte.
  const isHex = typeof value === "string" && value.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(value);
  if (!isHex) throw invalidArgument(path, "hexadecimal bytes with 0x");
  if (size > 0 && value.length !== 2 + size * 2) throw invalidArgument(path, `${size} bytes`);
  return value;
}

function parseIfText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

/** The parameter of a list's items; undefined for other types. */
function itemParameter(parameter: AbiParameter): AbiParameter | undefined {
  const match = /^(.*)\[\d*\]$/.exec(parameter.type);
  return match ? { ...parameter, type: match[1] ?? "" } : undefined;
}

function tupleComponents(parameter: AbiParameter): readonly AbiParameter[] {
  return "components" in parameter ? parameter.components : [];
}

function invalidArgument(path: string, expected: string): ProtocolError {
  return invalid(`${path} must be ${expected}`);
}
