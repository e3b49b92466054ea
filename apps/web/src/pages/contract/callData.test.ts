import { type AbiFunction, parseAbi } from "viem";
import { expect, it } from "vitest";
import { emptyDrafts, initialDrafts } from "./callData.ts";

const [transfer, setApprovalForAll, balanceOf] = parseAbi([
  "function transfer(address to, uint256 amount) returns (bool)",
  "function setApprovalForAll(address operator, bool approved)",
  "function balanceOf(address account, uint256 id) view returns (uint256)",
]) satisfies readonly AbiFunction[];

it("emptyDrafts() begins amounts of a fungible token in its unit, and nothing else", () => {
  expect(emptyDrafts(transfer, { decimals: 6 })).toEqual(["", " e6"]);
  expect(emptyDrafts(transfer, { decimals: 0 })).toEqual(["", ""]);
  expect(emptyDrafts(transfer, undefined)).toEqual(["", ""]);
  expect(emptyDrafts(setApprovalForAll, { decimals: 6 })).toEqual(["", "false"]);
  expect(emptyDrafts(balanceOf, { decimals: 6 })).toEqual(["", ""]);
});

it("initialDrafts() are the arguments of the URL, as far as they match", () => {
  expect(initialDrafts(transfer, JSON.stringify(["0x1", "5"]), { decimals: 6 })).toEqual(["0x1", "5"]);
  expect(initialDrafts(transfer, "[", { decimals: 6 })).toEqual(["", " e6"]);
  expect(initialDrafts(transfer, undefined, { decimals: 6 })).toEqual(["", " e6"]);
});
