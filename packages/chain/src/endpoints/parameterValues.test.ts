import { expect, it } from "vitest";
import { abi, topicValue } from "./parameterValues.ts";

const ADDRESS = "f39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const PADDED = `0x${"0".repeat(24)}${ADDRESS.toLowerCase()}`;

it.each([`0x${ADDRESS}`, ` 0X${ADDRESS.toUpperCase()} `, PADDED])("a topic may be written as %s", (text) => {
  expect(topicValue.parse(text)).toBe(PADDED);
});

it.each([ADDRESS, "0x7", `0x${ADDRESS}00`, 7])("a topic may not be written as %s", (text) => {
  expect(topicValue.safeParse(text).success).toBe(false);
});

const TOTAL = {
  type: "function",
  name: "total",
  inputs: [{ type: "address" }],
  outputs: [{ type: "uint256" }],
};

it.each([
  ["an entry", TOTAL],
  ["JSON", JSON.stringify([TOTAL])],
  ["a file of a build tool", { abi: [TOTAL] }],
  ["a declaration", "function total(address) public view returns (uint)"],
  ["a list of declarations", ["function total(address) view returns (uint256)"]],
])("an ABI may be %s", (_, value) => {
  expect(abi.parse(value)).toMatchObject([TOTAL]);
});

it.each([
  ["[{", "must be JSON"],
  [[7], "must be an ABI"],
  [{}, "must be an ABI"],
  [["total"], "must be an ABI"],
  [["function total("], "malformed declaration"],
])("%j is no ABI: it %s", (value, message) => {
  expect(abi.safeParse(value).error?.issues[0]?.message).toContain(message);
});
