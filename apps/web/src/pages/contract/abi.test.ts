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
