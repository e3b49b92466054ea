import type { AbiParameter } from "viem";
import { isDomainName } from "../wallet/domainNames.ts";
import { parseDecimal } from "./decimal.ts";

/** The form value of one input: text, or for tuples and arrays one draft per item. */
export type Draft = string | Draft[];

export class DraftError extends Error {
  /** Path to the invalid value, such as `order.items[2]`. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Units for integer inputs, by their number of decimals; `e6` stands for six decimals. */
export const UNITS: Readonly<Record<string, number>> = { wei: 0, gwei: 9, ether: 18 };

/** Splits an input into its number and unit. */
export function splitUnit(text: string): { number: string; unit: string } {
  const [, number = text, unit] = /^(.*?)\s*(wei|gwei|ether|(?<=\s)e\d{1,2})$/.exec(text) ?? [];
  return { number, unit: unit ?? "wei" };
}

/** An input from its number and unit; a unit that was entered with the number takes precedence. */
export function joinUnit(number: string, unit: string): string {
  return unit === "wei" || splitUnit(number).unit !== "wei" ? number : `${number} ${unit}`;
}

/** The components of a tuple; undefined for other types. */
export function tupleComponents(parameter: AbiParameter): readonly AbiParameter[] | undefined {
  return "components" in parameter && !parameter.type.endsWith("]") ? parameter.components : undefined;
}

/** The item type of an array and its length (null for any length); undefined for other types. */
export function arrayItem(
  parameter: AbiParameter,
): { item: AbiParameter; length: number | null } | undefined {
  const found = /^(.*)\[(\d*)\]$/.exec(parameter.type);
  if (!found) return undefined;
  const [, type = "", length = ""] = found;
  return { item: { ...parameter, type, name: "" }, length: length === "" ? null : Number(length) };
}

/** The initial form value: empty, with all required components. */
export function emptyDraft(parameter: AbiParameter): Draft {
  const components = tupleComponents(parameter);
  if (components) return components.map(emptyDraft);
  const array = arrayItem(parameter);
  if (!array) return parameter.type === "bool" ? "false" : "";
  return Array.from({ length: array.length ?? 0 }, () => emptyDraft(array.item));
}

/** Whether a draft, for example from the URL, has the shape of the type. */
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

/** How the texts of drafts are read. */
export interface DraftReading {
  /** Of numbers. */
  locale?: string;
  /** The addresses of names such as `ada.eth`, as far as they are resolved. */
  names?: ReadonlyMap<string, string>;
}

/** Parses a draft into the value that ABI encoding expects. Throws a DraftError with the path and a message for users. */
export function parseDraft(
  parameter: AbiParameter,
  draft: Draft,
  path = parameter.name || "value",
  reading: DraftReading = {},
): unknown {
  const components = tupleComponents(parameter);
  if (components) {
    const values = components.map((component, i) =>
      parseDraft(component, draft[i] ?? "", `${path}.${component.name || i}`, reading),
    );
    // viem expects an object if every component has a name, and an array otherwise.
    if (components.some(({ name }) => !name)) return values;
    return Object.fromEntries(components.map(({ name }, i) => [name, values[i]]));
  }
  const array = arrayItem(parameter);
  if (array) {
    return typeof draft === "string"
      ? []
      : draft.map((each, i) => parseDraft(array.item, each, `${path}[${i}]`, reading));
  }
  return parseValue(parameter.type, typeof draft === "string" ? draft : "", path, reading);
}

function parseValue(type: string, input: string, path: string, { locale, names }: DraftReading): unknown {
  const text = input.trim();
  if (type === "string") return input;
  if (type === "bool") return text === "true";
  if (type === "address") {
    const named = names?.get(text);
    if (named !== undefined) return named.toLowerCase();
    if (isDomainName(text)) throw new DraftError(path, "This name has not been resolved to an address.");
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
    throw new DraftError(path, `Expected ${size} bytes, got ${length}.`);
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
    throw new DraftError(path, `${type} must be between ${low} and ${high}.`);
  }
  return value;
}

const NOT_AN_INTEGER = "Enter a whole number in the smallest unit.";
const AMBIGUOUS = "Ambiguous number: enter it without a thousands separator.";

/** Returns the integer in the smallest unit, or an error message. */
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
