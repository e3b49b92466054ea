import { describe, expect, it } from "vitest";
import { parseEventSelection, parseTopic } from "./parseSelection.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const abi = (type: string) => ({
  type: "event",
  name: "Transfer",
  inputs: [
    { name: "from", type: "address", indexed: true },
    { name: "to", type: "address", indexed: true },
    { name: "value", type, indexed: false },
  ],
});

describe("the topic of an event", () => {
  it.each([
    TRANSFER,
    ` ${TRANSFER.toUpperCase().replace("X", "x")} `,
    "Transfer(address,address,uint256)",
    "Transfer( address , address, uint )",
    "event Transfer(address indexed from, address indexed to, uint256 value);",
  ])("may be written as %s", (topic) => {
    expect(parseTopic(topic)).toBe(TRANSFER);
    expect(parseEventSelection(ADDRESS, abi("uint256"), topic)).toMatchObject({ topic: TRANSFER });
  });

  it("is the same for integers with and without a size", () => {
    for (const topic of [undefined, "Transfer", "Transfer(address,address,uint)"])
      expect(parseEventSelection(ADDRESS, abi("uint"), topic)).toMatchObject({ topic: TRANSFER });
  });

  it("is found in the file of a compiler", () => {
    const file = { contractName: "Token", abi: [abi("uint256")] };
    for (const given of [file, JSON.stringify(file)])
      expect(parseEventSelection(ADDRESS, given, undefined)).toMatchObject({ topic: TRANSFER });
  });

  it.each([
    "event Transfer(address indexed from, address indexed to, uint256 value)",
    " event Transfer (address indexed from,address indexed to, uint value) ;",
  ])("is found in the declaration %s", (declaration) => {
    const others = ["function name() view returns (string)", abi("uint8")];
    for (const given of [
      declaration,
      JSON.stringify(declaration),
      [declaration, ...others],
      { abi: [declaration] },
    ])
      expect(parseEventSelection(ADDRESS, given, TRANSFER)).toMatchObject({
        topic: TRANSFER,
        event: { inputs: [{ name: "from", indexed: true }, { name: "to" }, { name: "value" }] },
      });
  });

  it.each([
    ["event Transfer(", "malformed declaration"],
    ["[1", "must be JSON"],
    [7, "must be an ABI"],
    [[7], "must be an ABI"],
  ])("is not found in %j", (given, message) => {
    expect(() => parseEventSelection(ADDRESS, given, undefined)).toThrow(message);
  });

  it("has the fields of tuples in parentheses", () => {
    expect(parseTopic("Moved(tuple(uint a, string b)[] items)")).toBe(
      parseTopic("Moved((uint256,string)[])"),
    );
  });

  it.each(["uint257", "uint0", "int7", "bytes0", "bytes33"])("has no type %s", (type) => {
    expect(() => parseEventSelection(ADDRESS, abi(type), undefined)).toThrow("malformed entry Transfer");
  });
});
