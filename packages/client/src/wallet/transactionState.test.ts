import { describe, expect, it } from "vitest";
import type { TransactionReceipt } from "./receipt.ts";
import {
  afterPoll,
  INITIAL_STATUS,
  isFinal,
  isSameState,
  type PollResult,
  type TrackedStatus,
} from "./transactionState.ts";

const receipt = (change: Partial<TransactionReceipt> = {}): TransactionReceipt => ({
  transactionHash: "0x1",
  blockNumber: 10,
  blockHash: "0xa",
  transactionIndex: 0,
  from: "0xf",
  to: "0xe",
  contractAddress: null,
  gasUsed: 1n,
  effectiveGasPrice: 1n,
  status: 1,
  succeeded: true,
  logs: [],
  ...change,
});
const pending: PollResult = { kind: "pending" };
const nothing: PollResult = { kind: "not found", nonceUsed: false };
const used: PollResult = { kind: "not found", nonceUsed: true };
const silent: PollResult = { kind: "unreachable", error: new Error("down") };
const included = (head: number): PollResult => ({ kind: "receipt", receipt: receipt(), head, revert: null });
const failed: PollResult = {
  kind: "receipt",
  receipt: receipt({ status: 0, succeeded: false }),
  head: 10,
  revert: { reason: "no", errorName: "Error", errorArgs: ["no"], data: null },
};
const replaced: PollResult = {
  kind: "replacement",
  reason: "cancelled",
  transaction: { hash: "0x2", from: "0xf", to: "0xf", nonce: 1, value: 0n, data: "0x" },
  receipt: receipt({ transactionHash: "0x2" }),
  head: 11,
};
const after = (...polls: PollResult[]): TrackedStatus => polls.reduce(afterPoll, INITIAL_STATUS);

describe("the state of a transaction", () => {
  it.each([
    ["has been submitted", [nothing], { status: "submitted" }],
    ["waits in the pool", [pending], { status: "seen" }],
    ["is in a block", [pending, included(10)], { status: "confirmed", confirmations: 1 }],
    ["gets more confirmations", [included(10), included(12)], { status: "confirmed", confirmations: 3 }],
    ["has failed", [failed], { status: "reverted", revert: { reason: "no" } }],
    ["was replaced", [pending, replaced], { status: "replaced", reason: "cancelled", confirmations: 2 }],
    ["loses its block to a reorganization", [included(10), pending], { status: "seen" }],
    ["is missing from two polls", [pending, nothing, nothing], { status: "seen" }],
    ["is dropped", [pending, nothing, nothing, nothing], { status: "dropped" }],
    ["is seen again after it was dropped", [pending, nothing, nothing, nothing, pending], { status: "seen" }],
    ["has not been seen for a while", Array.from({ length: 119 }, () => nothing), { status: "submitted" }],
    ["has not been seen for too long", Array.from({ length: 120 }, () => nothing), { status: "dropped" }],
    [
      "was replaced by an unknown transaction",
      [pending, used, used, used],
      { status: "replaced", hash: null },
    ],
    ["cannot be polled", [pending, silent], { status: "unreachable", last: { status: "seen" } }],
    ["is missing once after failed polls", [pending, silent, silent, nothing], { status: "seen" }],
  ])("is reduced correctly when it %s", (_name, polls, expected) => {
    expect(after(...polls).state).toMatchObject(expected);
  });

  it("is final after its confirmations, also if it was replaced", () => {
    expect(isFinal(after(included(12)).state, 3)).toBe(true);
    expect(isFinal(after(included(12)).state, 4)).toBe(false);
    expect(isFinal(after(replaced).state, 2)).toBe(true);
    expect(isFinal(after(pending).state, 1)).toBe(false);
  });

  it("is the same only if nothing has changed", () => {
    expect(isSameState(after(included(10)).state, after(pending, included(10)).state)).toBe(true);
    expect(isSameState(after(included(10)).state, after(included(11)).state)).toBe(false);
    expect(isSameState(after(silent).state, after(silent, silent).state)).toBe(true);
  });
});
