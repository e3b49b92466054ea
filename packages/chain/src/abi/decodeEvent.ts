import type { JsonObject, JsonValue } from "@purse/protocol";
import { type Abi, type AbiEvent, decodeEventLog, type Hex } from "viem";
import { valueToJson } from "./abiValues.ts";

/** Decodes a log to the event's arguments by name; undefined if it is a log of another event. */
export function decodeEvent(
  event: AbiEvent,
  { topics, data }: { topics: readonly string[]; data: string },
): JsonObject | undefined {
  const [first, ...others] = topics.map(asHex);
  if (first === undefined) return undefined;
  try {
    const abi: Abi = [event];
    const { args } = decodeEventLog({ abi, topics: [first, ...others], data: asHex(data), strict: true });
    const values: unknown = args ?? [];
    const entries = event.inputs.map((input, i): [string, JsonValue] => {
      const value = Array.isArray(values) ? values[i] : Object(values)[input.name ?? ""];
      return [input.name || String(i), valueToJson(value, input)];
    });
    return Object.fromEntries(entries);
  } catch {
    return undefined;
  }
}

function asHex(text: string): Hex {
  return `0x${text.slice(2)}`;
}
