import { encodeFunctionData, erc20Abi, maxUint256, parseAbi } from "viem";
import { expect, it } from "vitest";
import { grantedAllowance } from "./allowance.ts";

const BOB = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const approve = (amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [BOB, amount] });
const approveAll = (isApproved: boolean) =>
  encodeFunctionData({
    abi: parseAbi(["function setApprovalForAll(address operator, bool approved)"]),
    args: [BOB, isApproved],
  });

it("grantedAllowance() finds the spender and the amount of an approval", () => {
  expect(grantedAllowance(approve(5n))).toEqual({
    kind: "amount",
    spender: BOB,
    amount: 5n,
    isUnlimited: false,
  });
  expect(grantedAllowance(approve(maxUint256))).toMatchObject({ isUnlimited: true });
  expect(grantedAllowance(approveAll(true))).toEqual({ kind: "all", spender: BOB });
});

it("grantedAllowance() is undefined for revocations, transfers and other data", () => {
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [BOB, 5n] });
  for (const data of [approve(0n), approveAll(false), transfer, "0x", "nothing"]) {
    expect(grantedAllowance(data)).toBeUndefined();
  }
});
