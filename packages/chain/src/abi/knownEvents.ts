import {
  type AbiEvent,
  type AbiFunction,
  decodeFunctionData,
  erc20Abi,
  erc721Abi,
  erc1155Abi,
  parseAbi,
  toEventSelector,
  toEventSignature,
  toFunctionSelector,
  toFunctionSignature,
} from "viem";
import { asHex } from "../model/hexBytes.ts";
import { valueToJson } from "./abiValues.ts";
import { decodeEvent } from "./decodeEvent.ts";

/** A decoded log or call, as the verbose endpoints of Moralis return it. */
export interface DecodedEntry {
  /** As in `Transfer(address,address,uint256)`. */
  signature: string;
  label: string;
  type: "event" | "function";
  params: { name: string; value: string; type: string }[];
}

/** Interfaces that many contracts have: tokens and wrapped coins. Of equal signatures, indexed arguments decide. */
const INTERFACES = [
  ...erc20Abi,
  ...erc721Abi,
  ...erc1155Abi,
  ...parseAbi([
    "event Deposit(address indexed dst, uint256 wad)",
    "event Withdrawal(address indexed src, uint256 wad)",
    "function deposit() payable",
    "function withdraw(uint256 wad)",
    "function mint(address to, uint256 amount)",
    "function burn(uint256 amount)",
  ]),
];
const EVENTS = groupBySelector(
  INTERFACES.filter(
    (entry): entry is Extract<(typeof INTERFACES)[number], AbiEvent> => entry.type === "event",
  ),
  (event) => toEventSelector(event),
);
const FUNCTIONS = groupBySelector(
  INTERFACES.filter(
    (entry): entry is Extract<(typeof INTERFACES)[number], AbiFunction> => entry.type === "function",
  ),
  (entry) => toFunctionSelector(entry),
);

/** Decodes a log of a well-known event; null for others. */
export function decodeKnownEvent(log: { topics: readonly string[]; data: string }): DecodedEntry | null {
  const events: readonly AbiEvent[] = EVENTS.get(log.topics[0] ?? "") ?? [];
  for (const event of events) {
    if (event.inputs.filter(({ indexed }) => indexed).length !== log.topics.length - 1) continue;
    const args = decodeEvent(event, log);
    if (!args) continue;
    return {
      signature: toEventSignature(event),
      label: event.name,
      type: "event",
      params: event.inputs.map(({ name, type }, i) => ({
        name: name || String(i),
        value: textOf(args[name || String(i)]),
        type,
      })),
    };
  }
  return null;
}

/** Decodes a call of a well-known function; null for others. */
export function decodeKnownCall(input: string): DecodedEntry | null {
  const functions: readonly AbiFunction[] = FUNCTIONS.get(input.slice(0, 10)) ?? [];
  for (const entry of functions) {
    try {
      const { args = [] } = decodeFunctionData({ abi: [entry], data: asHex(input) });
      return {
        signature: toFunctionSignature(entry),
        label: entry.name,
        type: "function",
        params: entry.inputs.map((parameter, i) => ({
          name: parameter.name || String(i),
          value: textOf(valueToJson(args[i], parameter)),
          type: parameter.type,
        })),
      };
    } catch {
      // The data is not that of the function.
    }
  }
  return null;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

function groupBySelector<Entry>(
  entries: readonly Entry[],
  selectorOf: (entry: Entry) => string,
): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const selector = selectorOf(entry);
    groups.set(selector, [...(groups.get(selector) ?? []), entry]);
  }
  return groups;
}
