import type { JsonObject, JsonValue } from "@purse/protocol";
import { type Abi, type AbiEvent, decodeEventLog, type Hex } from "viem";
import { jsonOf } from "./abiValues.ts";

/** What a log says, by the names of an event's inputs; undefined for a log of another event. */
export function decodeEvent(
  event: AbiEvent,
  { topics, data }: { topics: readonly string[]; data: string },
): JsonObject | undefined {
  const [first, ...others] = topics.map(hexOf);
  if (first === undefined) return undefined;
  try {
    const abi: Abi = [event];
    const { args } = decodeEventLog({ abi, topics: [first, ...others], data: hexOf(data), strict: true });
    const values: unknown = args ?? [];
    const named = event.inputs.map((input, i): [string, JsonValue] => {
      const value = Array.isArray(values) ? values[i] : Object(values)[input.name ?? ""];
      return [input.name || String(i), jsonOf(value, input)];
    });
    return Object.fromEntries(named);
  } catch {
    return undefined;
  }
}

function hexOf(text: string): Hex {
  return `0x${text.slice(2)}`;
}
