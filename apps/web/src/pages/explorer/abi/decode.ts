import {
  type Abi,
  type AbiEvent,
  type AbiFunction,
  type AbiParameter,
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
import { EVENTS, FUNCTIONS } from "./signatures.ts";

/** A decoded ABI value; `items` are those of an array or a tuple. */
export interface DecodedValue {
  name: string;
  type: string;
  text: string;
  items?: DecodedValue[];
}

export interface Decoded {
  /** Such as `transfer`. */
  name: string;
  /** Such as `transfer(address to, uint256 amount)`. */
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

/** Decodes call data; undefined if the function is unknown or the data invalid. `own` takes precedence. */
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

/** Decodes a log; undefined if the event is unknown or the log invalid. */
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

/** On-chain data is untrusted: what cannot be decoded is shown raw. */
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
