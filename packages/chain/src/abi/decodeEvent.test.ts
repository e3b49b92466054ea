import { type AbiEvent, decodeEventLog, type Hex, parseAbi, toEventSelector } from "viem";
import { describe, expect, it } from "vitest";
import { decodeEvent } from "./decodeEvent.ts";

const word = (digits: string): Hex => `0x${digits.padStart(64, "0")}`;
const ADDRESS = word("aB".repeat(20));
const DIRTY = `0x${"ff".repeat(12)}${"ab".repeat(20)}` as const;
const NUMBER = word("2a");
const HASH: Hex = `0x${"9c".repeat(32)}`;
const TEXT: Hex = `0x${"20".padStart(64, "0")}${"2".padStart(64, "0")}${"6869".padEnd(64, "0")}`;

const events: readonly [string, readonly Hex[], Hex][] = [
  ["event Transfer(address indexed from, address indexed to, uint256 value)", [ADDRESS, DIRTY], NUMBER],
  ["event Mixed(uint256 a, address indexed b, bool c)", [ADDRESS], `${NUMBER}${word("1").slice(2)}`],
  ["event Unnamed(address indexed, uint256)", [ADDRESS], NUMBER],
  ["event Hashed(string indexed text, bytes32 indexed id, uint8[] indexed list)", [HASH, HASH, HASH], "0x"],
  ["event Said(string text)", [], TEXT],
  ["event Signed(int256 indexed value)", [`0x${"ff".repeat(32)}`], "0x"],
  ["event Nothing()", [], "0x"],
];

function eventOf(text: string): AbiEvent {
  const signatures: readonly string[] = [text];
  const event = parseAbi(signatures).find(({ type }) => type === "event");
  if (event?.type === "event") return event;
  throw new Error(`${text} is no event`);
}

/** The arguments by name as viem decodes them, in lower case and as text. */
function truthOf(event: AbiEvent, topics: readonly Hex[], data: Hex): unknown {
  const [selector, ...rest] = topics;
  const abi = [event];
  const { args } = decodeEventLog({ abi, topics: [selector ?? "0x", ...rest], data, strict: true });
  const values: unknown = args ?? {};
  return Object.fromEntries(
    Object.entries(Object(values)).map(([name, value]) => {
      if (typeof value === "bigint") return [name, String(value)];
      return [name, typeof value === "string" && name !== "text" ? value.toLowerCase() : value];
    }),
  );
}

describe("decodeEvent", () => {
  it.each(events)("decodes a log of %s as viem does", (text, args, data) => {
    const event = eventOf(text);
    const topics = [toEventSelector(event), ...args];
    expect(decodeEvent(event, { topics, data })).toEqual(truthOf(event, topics, data));
  });

  it.each(events)("returns undefined for logs of other events and layouts than %s", (text, args, data) => {
    const event = eventOf(text);
    const selector = toEventSelector(event);
    expect(decodeEvent(event, { topics: [HASH, ...args], data })).toBeUndefined();
    expect(decodeEvent(event, { topics: [], data })).toBeUndefined();
    if (args.length > 0)
      expect(decodeEvent(event, { topics: [selector, ...args.slice(1)], data })).toBeUndefined();
    if (data !== "0x") {
      expect(decodeEvent(event, { topics: [selector, ...args], data: "0x" })).toBeUndefined();
      expect(decodeEvent(event, { topics: [selector, ...args], data: data.slice(0, 40) })).toBeUndefined();
    }
  });
});
