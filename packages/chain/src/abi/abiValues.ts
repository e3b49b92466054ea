import { ErrorCode, type JsonValue, ProtocolError, parseJson } from "@purse/protocol";
import type { AbiParameter } from "viem";

/** Values of contracts as JSON: whole numbers as decimal text, bytes as hex, addresses in lower case. */
export function jsonOf(value: unknown, parameter: AbiParameter): JsonValue {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value;
  if (typeof value === "string") return parameter.type.startsWith("address") ? value.toLowerCase() : value;
  const inner = itemOf(parameter);
  if (inner && Array.isArray(value)) return value.map((each) => jsonOf(each, inner));
  const components = componentsOf(parameter);
  if (components.length > 0 && typeof value === "object" && value !== null)
    return fieldsOf(value, components);
  return null;
}

/** Several values by their names, those without one by their place. */
export function fieldsOf(values: object, parameters: readonly AbiParameter[]): { [name: string]: JsonValue } {
  return Object.fromEntries(
    parameters.map((parameter, i): [string, JsonValue] => {
      const value = Array.isArray(values) ? values[i] : Object(values)[parameter.name ?? i];
      return [parameter.name || String(i), jsonOf(value, parameter)];
    }),
  );
}

/**
 * What a caller has sent for a parameter, as viem takes it: numbers from numbers and decimal or hex text, lists and
 * tuples from JSON text too. Throws ProtocolError with HTTP 400.
 */
export function argumentOf(value: unknown, parameter: AbiParameter, path: string): unknown {
  const inner = itemOf(parameter);
  if (inner) {
    const list = parsed(value);
    if (!Array.isArray(list)) throw wrong(path, "a list");
    return list.map((each, i) => argumentOf(each, inner, `${path}[${i}]`));
  }
  if (parameter.type === "tuple") return tupleOf(parsed(value), componentsOf(parameter), path);
  if (/^u?int/.test(parameter.type)) return integerOf(value, parameter.type, path);
  if (parameter.type === "bool") return booleanOf(value, path);
  if (parameter.type === "address") {
    if (typeof value === "string" && /^0x[0-9a-f]{40}$/i.test(value.trim()))
      return value.trim().toLowerCase();
    throw wrong(path, "an address");
  }
  if (parameter.type === "string") {
    if (typeof value === "string") return value;
    if (typeof value === "number") return String(value);
    throw wrong(path, "text");
  }
  return bytesOf(value, parameter.type, path);
}

function tupleOf(value: unknown, components: readonly AbiParameter[], path: string): unknown {
  if (typeof value !== "object" || value === null) throw wrong(path, "an object or a list");
  const fields = components.map((component, i) => {
    const name = component.name ?? "";
    const field = Array.isArray(value)
      ? value[i]
      : Object.hasOwn(value, name)
        ? Object(value)[name]
        : undefined;
    const place = `${path}.${name || i}`;
    if (field === undefined) throw new ProtocolError(ErrorCode.VALIDATION_ERROR, `${place} is required`, 400);
    return argumentOf(field, component, place);
  });
  // viem takes tuples by name where all components have one, otherwise by place.
  if (components.some(({ name }) => !name)) return fields;
  return Object.fromEntries(components.map(({ name = "" }, i) => [name, fields[i]]));
}

function integerOf(value: unknown, type: string, path: string): bigint {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== "string" || !/^\s*(-?\d{1,78}|0x[0-9a-f]{1,64})\s*$/i.test(text))
    throw wrong(path, "a whole number");
  const number = BigInt(text.trim());
  const bits = BigInt(type.replace(/^u?int/, "") || 256);
  const [low, high] = type.startsWith("u")
    ? [0n, 2n ** bits - 1n]
    : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
  if (number < low || number > high) throw wrong(path, `a number that fits into ${type}`);
  return number;
}

function booleanOf(value: unknown, path: string): boolean {
  if (value === true || value === "true" || value === 1 || value === "1") return true;
  if (value === false || value === "false" || value === 0 || value === "0") return false;
  throw wrong(path, "true or false");
}

function bytesOf(value: unknown, type: string, path: string): string {
  const size = Number(/^bytes(\d+)$/.exec(type)?.[1] ?? (type === "function" ? 24 : 0));
  // Without a group that repeats: it would take the stack's room for each byte.
  const isHex = typeof value === "string" && value.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(value);
  if (!isHex) throw wrong(path, "hexadecimal bytes with 0x");
  if (size > 0 && value.length !== 2 + size * 2) throw wrong(path, `${size} bytes`);
  return value;
}

function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

/** What a list holds; undefined for what is no list. */
function itemOf(parameter: AbiParameter): AbiParameter | undefined {
  const match = /^(.*)\[\d*\]$/.exec(parameter.type);
  return match ? { ...parameter, type: match[1] ?? "" } : undefined;
}

function componentsOf(parameter: AbiParameter): readonly AbiParameter[] {
  return "components" in parameter ? parameter.components : [];
}

function wrong(path: string, what: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `${path} must be ${what}`, 400);
}
