import type { JsonValue } from "@purse/protocol";
import { type AbiEvent, toEventSelector, toEventSignature } from "viem";
import { abiEntriesOf, parseAbiEntries } from "../abi/abiEntries.ts";
import { invalid } from "../model/requestErrors.ts";
import type { Selection } from "./selections.ts";

/**
 * Creates the selection of a contract's event. `abi` has the event, in any of the forms of `abiItems`; `topic` is
 * its hash, name or signature, optional if `abi` has only one event. Throws ProtocolError with HTTP 400.
 */
export function parseEventSelection(
  address: JsonValue | undefined,
  abi: JsonValue | undefined,
  topic: JsonValue | undefined,
): Extract<Selection, { kind: "event" }> {
  const events = parseAbiEntries(abiEntriesOf(abi)).filter(isEvent);
  const requested = typeof topic === "string" ? topic.trim() : undefined;
  const matches = requested === undefined ? events : events.filter((event) => matchesTopic(event, requested));
  const [event, other] = matches;
  if (!event) throw invalid("abi must contain the event of topic");
  if (other) throw invalid("abi contains several matching events: topic must be the hash of one");
  if (event.anonymous) throw invalid("anonymous events cannot be watched");
  return { kind: "event", address: parseAddress(address), topic: toEventSelector(event), event };
}

/** An event of an ABI with its topic (lower-case hex with 0x). */
export interface AbiEventTopic {
  event: AbiEvent;
  topic: string;
  /** As in `Transfer(address,address,uint256)`. */
  signature: string;
}

/** Returns the events of an ABI, without anonymous ones. Throws ProtocolError with HTTP 400. */
export function parseEvents(abi: JsonValue | undefined): AbiEventTopic[] {
  const events = parseAbiEntries(abiEntriesOf(abi)).filter(isEvent);
  return events
    .filter(({ anonymous }) => !anonymous)
    .map((event) => ({ event, topic: toEventSelector(event), signature: toEventSignature(event) }));
}

/** Returns the topic of an event's signature or of its topic itself. Throws ProtocolError with HTTP 400. */
export function parseTopic(value: JsonValue | undefined): string {
  const text = typeof value === "string" ? value.trim() : "";
  if (/^0x[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  const topic = text.includes("(") ? selectorOf(text) : undefined;
  if (topic === undefined) throw invalid("topic must be an event's hash or signature");
  return topic;
}

/** Parses an address to lower-case hex with 0x. Throws ProtocolError with HTTP 400. */
export function parseAddress(value: JsonValue | undefined): string {
  if (typeof value === "string" && /^0x[0-9a-f]{40}$/i.test(value.trim())) return value.trim().toLowerCase();
  throw invalid("address must be a contract's or a wallet's address: 0x and 40 hexadecimal digits");
}

function matchesTopic(event: AbiEvent, requested: string): boolean {
  if (/^0x[0-9a-f]{64}$/i.test(requested)) return toEventSelector(event) === requested.toLowerCase();
  if (!requested.includes("(")) return event.name === requested;
  return toEventSelector(event) === selectorOf(requested);
}

/** Of a signature, or of the declaration of the event: with names and `indexed`. */
function selectorOf(declaration: string): string | undefined {
  const signature = declaration
    .replaceAll(/\s*([(),])/g, "$1")
    .replaceAll(/([(,])\s+/g, "$1")
    .replaceAll(/\b(u?int)\b/g, "$1256")
    .replaceAll(/\btuple\(/g, "(");
  try {
    return toEventSelector(signature);
  } catch {
    throw invalid("topic must be an event's hash, name or signature");
  }
}

function isEvent(entry: { type: string }): entry is AbiEvent {
  return entry.type === "event";
}
