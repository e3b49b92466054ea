import type { JsonObject, JsonValue } from "@purse/protocol";
import { type AbiEvent, type AbiParameter, decodeAbiParameters, type Hex, toEventSelector } from "viem";
import { asHex } from "../model/hexBytes.ts";
import { valueToJson } from "./abiValues.ts";

interface EventLayout {
  selector: Hex;
  indexed: readonly AbiParameter[];
  others: readonly AbiParameter[];
}

const layouts = new WeakMap<AbiEvent, EventLayout>();

/** Decodes a log to the event's arguments by name; undefined if it is a log of another event. */
export function decodeEvent(
  event: AbiEvent,
  { topics, data }: { topics: readonly string[]; data: string },
): JsonObject | undefined {
  const { selector, indexed, others } = layoutOf(event);
  const [first, ...args] = topics;
  if (first !== selector || args.length < indexed.length) return undefined;
  try {
    if (others.length > 0 && data === "0x") return undefined;
    const topicValues = indexed.map((input, i) => topicValue(input, args[i] ?? "0x"));
    const dataValues: readonly unknown[] = others.length > 0 ? decodeAbiParameters(others, asHex(data)) : [];
    let [indexedCount, otherCount] = [0, 0];
    return Object.fromEntries(
      event.inputs.map((input, i): [string, JsonValue] => {
        const value = input.indexed ? topicValues[indexedCount++] : dataValues[otherCount++];
        return [input.name || String(i), valueToJson(value, input)];
      }),
    );
  } catch {
    return undefined;
  }
}

function layoutOf(event: AbiEvent): EventLayout {
  const known = layouts.get(event);
  if (known) return known;
  const layout = {
    selector: toEventSelector(event),
    indexed: event.inputs.filter(({ indexed }) => indexed),
    others: event.inputs.filter(({ indexed }) => !indexed),
  };
  layouts.set(event, layout);
  return layout;
}

/** An indexed argument; of text, lists and tuples, logs have the hash only. */
function topicValue(input: AbiParameter, topic: string): unknown {
  // Most indexed arguments are addresses, whose checksum nobody needs.
  if (input.type === "address") return `0x${topic.slice(26)}`;
  if (/^(string|bytes|tuple|.*\])$/.test(input.type)) return topic;
  return decodeAbiParameters([input], asHex(topic))[0];
}
