import type { AbiParameter } from "viem";
import { parseDecimal } from "./decimal.ts";

/** What is typed for one input: text, or for tuples and arrays one of these for each part. */
export type Draft = string | Draft[];

export class DraftError extends Error {
  /** Where: the names and places on the way, as `order.items[2]`. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** The units that a whole number can be typed in, by how many digits they move the point; `e6` moves it by six. */
export const UNITS: Readonly<Record<string, number>> = { wei: 0, gwei: 9, ether: 18 };

/** A number as it is typed, and its unit. */
export function splitUnit(text: string): { number: string; unit: string } {
  const [, number = text, unit] = /^(.*?)\s*(wei|gwei|ether|(?<=\s)e\d{1,2})$/.exec(text) ?? [];
  return { number, unit: unit ?? "wei" };
}

/** The parts of a tuple; undefined for other types. */
export function tupleComponents(parameter: AbiParameter): readonly AbiParameter[] | undefined {
  return "components" in parameter && !parameter.type.endsWith("]") ? parameter.components : undefined;
}

/** The type of an array's items, with its length (null for any); undefined for other types. */
export function arrayItem(
  parameter: AbiParameter,
): { item: AbiParameter; length: number | null } | undefined {
  const found = /^(.*)\[(\d*)\]$/.exec(parameter.type);
  if (!found) return undefined;
  const [, type = "", length = ""] = found;
  return { item: { ...parameter, type, name: "" }, length: length === "" ? null : Number(length) };
}

/** What a form begins with: nothing typed, and the parts that there must be. */
export function emptyDraft(parameter: AbiParameter): Draft {
  const components = tupleComponents(parameter);
  if (components) return components.map(emptyDraft);
  const array = arrayItem(parameter);
  if (!array) return parameter.type === "bool" ? "false" : "";
  return Array.from({ length: array.length ?? 0 }, () => emptyDraft(array.item));
}

/** Whether a draft, as from an address bar, has the shape of a type. */
export function matchesType(parameter: AbiParameter, draft: unknown): draft is Draft {
  const components = tupleComponents(parameter);
  if (components) {
    return (
      Array.isArray(draft) &&
      draft.length === components.length &&
      components.every((component, i) => matchesType(component, draft[i]))
    );
  }
  const array = arrayItem(parameter);
  if (!array) return typeof draft === "string";
  const isLength = Array.isArray(draft) && (array.length === null || draft.length === array.length);
  return isLength && draft.every((each) => matchesType(array.item, each));
}

/** What the ABI's encoding takes; numbers by the locale. Throws DraftProblem, which says where and what helps. */
export function parseDraft(
  parameter: AbiParameter,
  draft: Draft,
  path = parameter.name || "value",
  locale?: string,
): unknown {
  const components = tupleComponents(parameter);
  if (components) {
    const values = components.map((component, i) =>
      parseDraft(component, draft[i] ?? "", `${path}.${component.name || i}`, locale),
    );
    // The encoding wants an object where every part has a name, and a list otherwise.
    if (components.some(({ name }) => !name)) return values;
    return Object.fromEntries(components.map(({ name }, i) => [name, values[i]]));
  }
  const array = arrayItem(parameter);
  if (array) {
    return typeof draft === "string"
      ? []
      : draft.map((each, i) => parseDraft(array.item, each, `${path}[${i}]`, locale));
  }
  return parseValue(parameter.type, typeof draft === "string" ? draft : "", path, locale);
}

function parseValue(type: string, input: string, path: string, locale: string | undefined): unknown {
  const text = input.trim();
  if (type === "string") return input;
  if (type === "bool") return text === "true";
  if (type === "address") {
    if (!/^0x[0-9a-fA-F]{40}$/.test(text)) {
      throw new DraftError(path, "Invalid address: expected 0x followed by 40 hex characters.");
    }
    return text.toLowerCase();
  }
  const [, size] = /^bytes(\d*)$/.exec(type) ?? [];
  if (size !== undefined) return parseBytes(text, size === "" ? null : Number(size), path);
  return parseInteger(type, text, path, locale);
}

function parseBytes(text: string, size: number | null, path: string): string {
  if (text === "" && size === null) return "0x";
  if (!/^0x([0-9a-fA-F]{2})*$/.test(text)) {
    throw new DraftError(path, "Invalid bytes: expected 0x followed by two hex characters per byte.");
  }
  const length = (text.length - 2) / 2;
  if (size !== null && length !== size) {
    throw new DraftError(path, `This takes ${size} bytes, not ${length}.`);
  }
  return text;
}

function parseInteger(type: string, text: string, path: string, locale: string | undefined): bigint {
  const { number, unit } = splitUnit(text);
  const value = integerOf(number, UNITS[unit] ?? Number(unit.slice(1)), locale);
  if (typeof value === "string") throw new DraftError(path, number === "" ? "Enter a number." : value);
  const bits = BigInt(/\d+$/.exec(type)?.[0] ?? 256);
  const isSigned = type.startsWith("int");
  const [low, high] = isSigned ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n];
  if (value < low || value > high) {
    throw new DraftError(path, `${type} takes what lies between ${low} and ${high}.`);
  }
  return value;
}

const NOT_AN_INTEGER = "Enter a whole number in the smallest unit.";
const AMBIGUOUS = "Ambiguous number: enter it without a thousands separator.";

/** The number in the smallest unit, or what is wrong with it. */
function integerOf(number: string, decimals: number, locale: string | undefined): bigint | string {
  if (/^0x[0-9a-f]{1,64}$/i.test(number)) return BigInt(number) * 10n ** BigInt(decimals);
  const isNegative = number.startsWith("-");
  const parsed = parseDecimal(isNegative ? number.slice(1) : number, locale, decimals);
  if ("reason" in parsed) return parsed.reason === "ambiguous" ? AMBIGUOUS : NOT_AN_INTEGER;
  if (parsed.integer === "" || parsed.integer.length > 80 || parsed.fraction.length > decimals)
    return NOT_AN_INTEGER;
  const size = BigInt(parsed.integer + parsed.fraction.padEnd(decimals, "0"));
  return isNegative ? -size : size;
}
