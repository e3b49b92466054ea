import { parseJson } from "./json.ts";
import { isRecord } from "./wireValues.ts";

/** Rules of the JSON of contract ABIs (Solidity, "Contract ABI Specification") that all readers of ABIs share. */

const MAX_TYPE_LENGTH = 64;
const TYPE =
  /^(?:u?int(?<bits>\d{1,3})?|address|bool|bytes(?<bytes>\d{1,2})?|string|function|tuple)(\[\d{0,6}\])*$/;
/** Integers without a size. Selectors are made of the names of types with it. */
const SHORT_INTEGER = /^(u?int)(?=\[|$)/;
const MAX_DECLARATION_LENGTH = 1_000;
/** Characters of all declarations of an ABI, which take much longer to parse than entries. */
export const MAX_DECLARATIONS_LENGTH = 100_000;
/** Words of declarations that an ABI does not have. Parameters cannot have these names. */
const WITHOUT_MEANING = / (?:external|public|virtual|override)\b/g;

/**
 * The items of an ABI: entries, and declarations as in Solidity (`event Paid(address indexed by)`) in the form that viem
 * parses. The ABI is a list, one item, or the file of a build tool with an `abi`, each also as JSON; or declarations, one
 * per line. Undefined for others. Declarations beyond MAX_DECLARATIONS_LENGTH are returned as they were sent.
 */
export function abiItems(value: unknown): unknown[] | undefined {
  if (typeof value === "string") {
    return /^\s*[[{"]/.test(value) ? itemsOfJson(value) : declarationsIn(value);
  }
  if (Array.isArray(value)) return withDeclarations(value);
  if (!isRecord(value)) return undefined;
  return value.type === undefined && value.abi !== undefined ? abiItems(value.abi) : [value];
}

function itemsOfJson(text: string): unknown[] | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  return abiItems(value);
}

function declarationsIn(text: string): unknown[] | undefined {
  const lines = text.split("\n").filter((line) => !/^\s*(?:\/\/.*)?$/.test(line));
  return lines.length === 0 ? undefined : withDeclarations(lines);
}

function withDeclarations<Item>(items: Item[]): (Item | string)[] {
  const length = items.reduce((sum, item) => sum + (typeof item === "string" ? item.length : 0), 0);
  if (length > MAX_DECLARATIONS_LENGTH) return items;
  return items.map((item) => (typeof item === "string" ? declarationOf(item) : item));
}

function declarationOf(text: string): string {
  if (text.length > MAX_DECLARATION_LENGTH) return text.slice(0, MAX_DECLARATION_LENGTH);
  return text
    .trim()
    .replace(/\s*;$/, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([(),]) ?/g, (_, sign: string) => (sign === "," ? ", " : sign))
    .replace(/\)(?=\w)/g, ") ")
    .replace(/(?<=\breturns)\(/g, " (")
    .replace(/\btuple\(/g, "(")
    .replace(WITHOUT_MEANING, "");
}

/** The full name of a type: `uint256` for `uint`. Undefined if there is no such type. */
export function abiType(type: unknown): string | undefined {
  const { groups } = (typeof type === "string" && type.length <= MAX_TYPE_LENGTH && TYPE.exec(type)) || {};
  if (typeof type !== "string" || !groups) return undefined;
  const { bits = "256", bytes = "32" } = groups;
  const exists = Number(bits) % 8 === 0 && isSize(Number(bits) / 8) && isSize(Number(bytes));
  return exists ? type.replace(SHORT_INTEGER, "$1256") : undefined;
}

/** Whether values of a type can have as many bytes. */
function isSize(bytes: number): boolean {
  return bytes >= 1 && bytes <= 32;
}

/** Whether an entry is a function: very old compilers omit the type. */
export function isAbiFunction({ type, name }: Readonly<Record<string, unknown>>): boolean {
  return type === "function" || (type === undefined && typeof name === "string" && name !== "");
}

/** What a function does with the state; undefined if its entry does not say it, as in short entries that people write. */
export function abiMutability(
  entry: Readonly<Record<string, unknown>>,
): "view" | "pure" | "payable" | "nonpayable" | undefined {
  const { stateMutability, constant, payable } = entry;
  switch (stateMutability) {
    case "view":
    case "pure":
    case "payable":
    case "nonpayable":
      return stateMutability;
    default:
      // Before Solidity 0.5: https://docs.soliditylang.org/en/v0.5.0/050-breaking-changes.html
      if (payable === true) return "payable";
      if (constant === true) return "view";
      return constant === undefined && payable === undefined ? undefined : "nonpayable";
  }
}
