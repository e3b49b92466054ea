import { describe, expect, it } from "vitest";
import { findLookalike, recipientProblem } from "./recipient.ts";

const ADDRESS = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const checksumOf = (address: string) => (address.toLowerCase() === ADDRESS.toLowerCase() ? ADDRESS : address);

it.each([
  ["", "empty"],
  ["0x12", "shape"],
  ["vitalik", "shape"],
  [`0x${"0".repeat(40)}`, "zero"],
  [ADDRESS.replace("f39F", "F39f"), "checksum"],
  [ADDRESS, undefined],
  [ADDRESS.toLowerCase(), undefined],
  [` ${ADDRESS} `, undefined],
])("recipientProblem() returns for %j the problem %s", (text, problem) => {
  expect(recipientProblem(text, checksumOf)).toBe(problem);
});

describe("findLookalike()", () => {
  const known = `0x1234${"a".repeat(32)}cdef`;

  it("finds a known address with the same first and last digits", () => {
    expect(findLookalike(`0x1234${"b".repeat(32)}cDEF`, [known])).toBe(known);
    expect(findLookalike(`0x1234${"b".repeat(32)}0000`, [known])).toBeUndefined();
  });

  it("does not find the known address itself", () => {
    expect(findLookalike(known.toUpperCase().replace("0X", "0x"), [known])).toBeUndefined();
  });
});
