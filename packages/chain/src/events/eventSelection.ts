import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { type AbiEvent, toEventSelector } from "viem";
import { abiEntries } from "../abi/abiEntries.ts";
import type { Selection } from "./selections.ts";

/**
 * The logs of an event of a contract. `abi` is the event or a list with it, as JSON or JSON text; `topic` its hash, its
 * name or its signature, and may be left out where `abi` has one event only. Throws ProtocolError with HTTP 400.
 */
export function eventSelection(
  address: JsonValue | undefined,
  abi: JsonValue | undefined,
  topic: JsonValue | undefined,
): Extract<Selection, { kind: "event" }> {
  const events = abiEntries(entriesOf(abi)).filter(isEvent);
  const wanted = typeof topic === "string" ? topic.replaceAll(/\s+/g, "") : undefined;
  const found = wanted === undefined ? events : events.filter((event) => goesBy(event, wanted));
  const [event, other] = found;
  if (!event) throw refused("abi must hold the event that topic names");
  if (other) throw refused("abi has several such events: topic must be the hash of one");
  if (event.anonymous) throw refused("anonymous events cannot be watched");
  return { kind: "event", address: addressOf(address), topic: toEventSelector(event), event };
}

/** An address as lower-case hex with 0x. Throws ProtocolError with HTTP 400. */
export function addressOf(value: JsonValue | undefined): string {
  if (typeof value === "string" && /^0x[0-9a-f]{40}$/i.test(value.trim())) return value.trim().toLowerCase();
  throw refused("address must be a contract's or a wallet's address: 0x and 40 hexadecimal digits");
}

function goesBy(event: AbiEvent, wanted: string): boolean {
  if (/^0x[0-9a-f]{64}$/i.test(wanted)) return toEventSelector(event) === wanted.toLowerCase();
  if (!wanted.includes("(")) return event.name === wanted;
  return toEventSelector(event) === selectorOf(wanted);
}

function selectorOf(signature: string): string | undefined {
  try {
    return toEventSelector(signature);
  } catch {
    throw refused("topic must be an event's hash, name or signature");
  }
}

function entriesOf(abi: JsonValue | undefined): JsonObject[] {
  const value = typeof abi === "string" ? parsed(abi) : abi;
  const list = Array.isArray(value) ? value : [value];
  return list.filter(isJsonObject);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    throw refused("abi must be JSON");
  }
}

function isEvent(entry: { type: string }): entry is AbiEvent {
  return entry.type === "event";
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, message, 400);
}
