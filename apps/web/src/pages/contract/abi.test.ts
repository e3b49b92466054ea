import { expect, it } from "vitest";
import { functionsOf, readPastedAbi, signatureOf } from "./abi.ts";

const PARAMETER = { name: "owner", type: "address" };

it("readPastedAbi() reads the entries of old compilers as those of today", () => {
  const abi = [
    { type: "function", name: "balanceOf", constant: true, inputs: [PARAMETER], outputs: [{ type: "uint" }] },
    { name: "deposit", payable: true, inputs: [], outputs: [] },
    {
      type: "function",
      name: "pay",
      constant: false,
      inputs: [{ name: "all", type: "tuple[]", components: [{ name: "sum", type: "int[2]" }] }],
      outputs: [],
    },
  ];
  const { reads, writes } = functionsOf(readPastedAbi(JSON.stringify(abi)));
  expect(reads.map(signatureOf)).toEqual(["balanceOf(address)"]);
  expect(reads[0]?.outputs).toEqual([{ type: "uint256" }]);
  expect(writes.map(signatureOf)).toEqual(["deposit()", "pay((int256[2])[])"]);
  expect(writes.map(({ stateMutability }) => stateMutability)).toEqual(["payable", "nonpayable"]);
});

it("readPastedAbi() reads one entry", () => {
  const entry = { type: "function", name: "f", stateMutability: "pure", inputs: [], outputs: [] };
  expect(readPastedAbi(JSON.stringify(entry))).toEqual([entry]);
});

it("readPastedAbi() reads declarations in lines, in a list, and beside entries", () => {
  const lines = ["function total(address owner) external view returns (uint sum)", "function pay() payable;"];
  for (const text of [lines.join("\n"), JSON.stringify(lines), JSON.stringify({ abi: lines })]) {
    const { reads, writes } = functionsOf(readPastedAbi(text));
    expect(reads.map(signatureOf)).toEqual(["total(address)"]);
    expect(writes.map(signatureOf)).toEqual(["pay()"]);
  }
});

it.each([
  ["7", "Invalid signature"],
  ['{"abi":7}', "Expected a JSON array"],
  ["[1", "This is not JSON"],
  ["function f(", "Invalid signature"],
  ['["f"]', "Invalid signature"],
  ['[{"type":"function","name":"f","inputs":[{"type":"money"}],"outputs":[]}]', "no functions"],
])("readPastedAbi() refuses %s: %s", (text, message) => {
  expect(() => readPastedAbi(text)).toThrow(message);
});
