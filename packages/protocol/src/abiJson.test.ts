import { describe, expect, it } from "vitest";
import { abiItems, abiMutability, abiType, isAbiFunction } from "./abiJson.ts";

const ENTRY = { type: "event", name: "Paid", inputs: [] };

describe("abiItems()", () => {
  it.each([
    ["a list", [ENTRY]],
    ["one entry", ENTRY],
    ["the file of a build tool", { contractName: "Shop", abi: [ENTRY] }],
    ["JSON", JSON.stringify([ENTRY])],
    ["JSON in the file of a build tool", { abi: JSON.stringify(ENTRY) }],
    ["JSON of JSON", JSON.stringify(JSON.stringify(ENTRY))],
  ])("reads %s", (_, abi) => {
    expect(abiItems(abi)).toEqual([ENTRY]);
  });

  it("reads declarations of a list and of lines in the form that viem parses", () => {
    const lines = [
      "  event   Paid ( address   indexed by,uint sum ) ;",
      "function total(address of) external view virtual returns(uint256)",
      "function take(tuple(uint a, string b)[] list)",
    ];
    const declarations = [
      "event Paid(address indexed by, uint sum)",
      "function total(address of) view returns (uint256)",
      "function take((uint a, string b)[] list)",
    ];
    expect(abiItems(lines)).toEqual(declarations);
    expect(abiItems(`// Shop\n\n${lines.join("\r\n")}\n`)).toEqual(declarations);
    expect(abiItems([ENTRY, lines[2]])).toEqual([ENTRY, declarations[2]]);
  });

  it.each([undefined, null, 7, "", "[1,", '{"a"'])("has none of %j", (abi) => {
    expect(abiItems(abi)).toBeUndefined();
  });
});

it.each([
  ["uint", "uint256"],
  ["int[2][]", "int256[2][]"],
  ["bytes1", "bytes1"],
  ["tuple[]", "tuple[]"],
  ["uint7", undefined],
  ["uint264", undefined],
  ["bytes33", undefined],
  ["money", undefined],
  [undefined, undefined],
])("abiType() of %s is %s", (type, name) => {
  expect(abiType(type)).toBe(name);
});

it.each([
  [{ stateMutability: "pure" }, "pure"],
  [{ constant: true, payable: false }, "view"],
  [{ constant: false, payable: true }, "payable"],
  [{ constant: false }, "nonpayable"],
  [{ payable: false }, "nonpayable"],
  [{ stateMutability: "other" }, undefined],
  [{}, undefined],
])("abiMutability() of %j is %s", (entry, mutability) => {
  expect(abiMutability(entry)).toBe(mutability);
});

it("isAbiFunction() takes entries with a name and without a type for functions", () => {
  expect(isAbiFunction({ name: "total" })).toBe(true);
  expect(isAbiFunction({ type: "function" })).toBe(true);
  expect(isAbiFunction({})).toBe(false);
  expect(isAbiFunction(ENTRY)).toBe(false);
});
