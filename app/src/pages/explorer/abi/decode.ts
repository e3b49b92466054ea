import {
  type Abi,
  type AbiEvent,
  type AbiFunction,
  type AbiParameter,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionData,
  type Hex,
  isHex,
  parseAbi,
  parseAbiItem,
  toEventSelector,
  toFunctionSelector,
} from "viem";
import { MARKETPLACES } from "./marketplaces.ts";
import { ERRORS, EVENTS, FUNCTIONS } from "./signatures.ts";

/** A named value as ABIs have it; `parts` are those of an array or a tuple. */
export interface DecodedValue {
  name: string;
  type: string;
  text: string;
  items?: DecodedValue[];
}

export interface Decoded {
  /** As `transfer`. */
  name: string;
  /** As `transfer(address to, uint256 amount)`. */
  signature: string;
  values: DecodedValue[];
}

export interface RawLog {
  data: string;
  topics: readonly string[];
}

const marketplaces: Abi = parseAbi(MARKETPLACES);
const functions: ReadonlyMap<string, AbiFunction> = new Map(
  [...FUNCTIONS.map((text) => parseAbiItem([text])), ...marketplaces]
    .filter((item) => item.type === "function")
    .map((item) => [toFunctionSelector(item), item]),
);
const events: readonly { topic: Hex; item: AbiEvent }[] = [
  ...EVENTS.map((text) => parseAbiItem([text])),
  ...marketplaces,
]
  .filter((item) => item.type === "event")
  .map((item) => ({ topic: toEventSelector(item), item }));
const errors = parseAbi(ERRORS);

/** What a transaction with this input calls, in a word: the function's name, else its selector; undefined for none. */
export function methodOf(input: string): string | undefined {
  if (input.length < 10) return undefined;
  const selector = input.slice(0, 10).toLowerCase();
  return functions.get(selector)?.name ?? selector;
}

/** Undefined where the function is not known, or the input is not its. `own` goes before what is known to all. */
export function decodeInput(input: string, own: Abi = []): Decoded | undefined {
  const selector = input.slice(0, 10).toLowerCase();
  const item =
    own.filter((each) => each.type === "function").find((each) => toFunctionSelector(each) === selector) ??
    functions.get(selector);
  if (!item || !isHex(input)) return undefined;
  return tryDecode(() => {
    const { args } = decodeFunctionData({ abi: [item], data: input });
    return { name: item.name, signature: signatureOf(item), values: valuesOf(item.inputs, args) };
  });
}

/** Undefined where the event is not known, or the log is not its. */
export function decodeLog({ data, topics }: RawLog, own: Abi = []): Decoded | undefined {
  const [topic, ...indexed] = topics.filter((each) => isHex(each));
  if (topic === undefined || !isHex(data)) return undefined;
  const ownEvents = own
    .filter((item) => item.type === "event")
    .map((item) => ({ topic: tryDecode(() => toEventSelector(item)), item }));
  for (const { topic: known, item } of [...ownEvents, ...events]) {
    if (known !== topic || item.inputs.filter((input) => input.indexed).length !== indexed.length) continue;
    const decoded = tryDecode(() => {
      const { args } = decodeEventLog({ abi: [item], data, topics: [topic, ...indexed] });
      return { name: item.name, signature: signatureOf(item), values: valuesOf(item.inputs, args) };
    });
    if (decoded) return decoded;
  }
  return undefined;
}

/** Why a call was reverted, by what it gave back: its sentence, or its error with its values. */
export function revertReason(data: string): string | undefined {
  if (!isHex(data) || data.length < 10) return undefined;
  return tryDecode(() => {
    const { errorName, args = [] } = decodeErrorResult({ abi: errors, data });
    if (errorName === "Error") return String(args[0]);
    if (errorName === "Panic") return panicText(Number(args[0]));
    return `${errorName}(${args.map(formatValue).join(", ")})`;
  });
}

/** What Solidity's own checks say, by their codes. */
const PANIC_REASONS: Readonly<Record<number, string>> = {
  1: "an assertion failed",
  17: "a number became too large or too small",
  18: "a division by zero",
  33: "a value that an enum has not",
  34: "storage that is badly encoded",
  49: "a list was empty",
  50: "an index outside of its list",
  65: "too much memory",
  81: "a function that was never set",
};

function panicText(code: number): string {
  const hex = `Panic(0x${code.toString(16)})`;
  return PANIC_REASONS[code] ? `${hex}: ${PANIC_REASONS[code]}` : hex;
}

/** Bytes from a chain are anybody's: what cannot be read is shown as it is. */
function tryDecode<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

function signatureOf({ name, inputs }: { name: string; inputs: readonly AbiParameter[] }): string {
  return `${name}(${inputs.map((input) => `${input.type} ${input.name ?? ""}`.trim()).join(", ")})`;
}

function valuesOf(inputs: readonly AbiParameter[], args: unknown): DecodedValue[] {
  return inputs.map((input, i) => {
    const value: unknown = Array.isArray(args) ? args[i] : Object(args)[input.name ?? i];
    return decodedValue(input, value);
  });
}

function decodedValue(input: AbiParameter, value: unknown): DecodedValue {
  const base = { name: input.name ?? "", type: input.type, text: formatValue(value) };
  if (Array.isArray(value) && input.type.endsWith("]")) {
    const each: AbiParameter = { ...input, type: input.type.replace(/\[\d*\]$/, "") };
    return { ...base, items: value.map((item, i) => decodedValue({ ...each, name: String(i) }, item)) };
  }
  if ("components" in input && input.type === "tuple")
    return { ...base, items: valuesOf(input.components, value) };
  return base;
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatValue).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `(${Object.values(value).map(formatValue).join(", ")})`;
  return String(value);
}
