import { isRecord } from "@purse/protocol";
import type { AbiParameter } from "viem";
import { componentsOf, itemOf } from "./abi.ts";

/**
 * Converts an application's value for ABI encoding: integers may be strings, numbers, bigints or
 * another library's big numbers; tuples lists or objects; bytes hex or a Uint8Array. Throws with the path of the value.
 */
export function encodeArgument(
  parameter: AbiParameter,
  value: unknown,
  path = parameter.name ?? "",
): unknown {
  const array = itemOf(parameter);
  if (array) {
    if (!Array.isArray(value)) throw argumentError(path, "a list", value);
    if (array.length !== null && array.length !== value.length) {
      throw argumentError(path, `a list of ${array.length}`, value);
    }
    return value.map((each, index) => encodeArgument(array.item, each, `${path}[${index}]`));
  }
  const components = componentsOf(parameter);
  if (components) return tupleOf(components, value, path);
  const { type } = parameter;
  if (/^u?int/.test(type)) return integerOf(value, path);
  if (type === "bool") return booleanOf(value, path);
  if (type.startsWith("bytes") && value instanceof Uint8Array) return hexOf(value);
  if (typeof value !== "string") throw argumentError(path, type, value);
  return value;
}

/**
 * Converts a decoded result as ethers does: tuples become lists with named properties. `integer` converts
 * integers beyond 48 bits.
 */
function decodeResult(parameter: AbiParameter, value: unknown, integer: (value: bigint) => unknown): unknown {
  const array = itemOf(parameter);
  if (array) {
    return Array.isArray(value) ? value.map((each) => decodeResult(array.item, each, integer)) : value;
  }
  const components = componentsOf(parameter);
  if (components) return namedList(components, Array.isArray(value) ? value : [], integer);
  return typeof value === "bigint" ? integer(value) : value;
}

/** A list with its items as named properties too; names of array properties and duplicates are left out. */
export function namedList(
  parameters: readonly AbiParameter[],
  values: readonly unknown[],
  integer: (value: bigint) => unknown,
): readonly unknown[] {
  const list = parameters.map((parameter, index) => decodeResult(parameter, values[index], integer));
  for (const [index, { name }] of parameters.entries()) {
    const isUnique = parameters.filter((other) => other.name === name).length === 1;
    if (!name || !isUnique || name in list) continue;
    Object.defineProperty(list, name, { value: list[index], enumerable: true });
  }
  return list;
}

function tupleOf(components: readonly AbiParameter[], value: unknown, path: string): unknown {
  const values = Array.isArray(value)
    ? value
    : isRecord(value) && components.map(({ name }) => (name ? value[name] : undefined));
  if (!values || values.length !== components.length) {
    throw argumentError(path, `an object or a list of ${components.length}`, value);
  }
  const encoded = components.map((component, index) =>
    encodeArgument(component, values[index], `${path}.${component.name || index}`),
  );
  // The encoding needs an object if every component has a name, and a list otherwise.
  if (components.some(({ name }) => !name)) return encoded;
  return Object.fromEntries(components.map(({ name }, index) => [name, encoded[index]]));
}

function integerOf(value: unknown, path: string): bigint {
  if (typeof value === "bigint") return value;
  // Unsafe integers may already be rounded.
  if (typeof value === "number" && !Number.isSafeInteger(value))
    throw argumentError(path, "a whole number", value);
  const text = String(typeof value === "object" && value !== null ? bigNumberText(value) : value);
  const [, sign, digits] = /^(-?)(\d+|0x[0-9a-f]+)$/i.exec(text) ?? [];
  if (digits === undefined) throw argumentError(path, "a whole number", value);
  return sign ? -BigInt(digits) : BigInt(digits);
}

/** Big numbers of other libraries convert to strings; the JSON of ethers' has `hex`. */
function bigNumberText(value: object): unknown {
  return "hex" in value ? value.hex : value.toString();
}

function booleanOf(value: unknown, path: string): boolean {
  if (value === true || value === "true" || value === 1) return true;
  if (value === false || value === "false" || value === 0) return false;
  throw argumentError(path, "true or false", value);
}

function hexOf(bytes: Uint8Array): string {
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function argumentError(path: string, expected: string, value: unknown): Error {
  return new Error(
    `${path || "A value"} must be ${expected}, not ${typeof value === "object" ? "an object" : value}`,
  );
}
