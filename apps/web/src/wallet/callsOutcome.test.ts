import { describe, expect, it } from "vitest";
import { callsOutcome } from "./callsOutcome.ts";

const receipts = [{ transactionHash: "0xa1" }, { transactionHash: "0xa2" }];

describe("calls that were sent together", () => {
  it.each(["confirmed", "reverted"] as const)(
    "and are %s are followed by their last transaction",
    (status) => {
      expect(callsOutcome({ status, receipts })).toEqual({ hash: "0xa2" });
    },
  );

  it.each(["confirmed", "reverted", "failed"] as const)("keep the status %s without a receipt", (status) => {
    expect(callsOutcome({ status, receipts: [] })).toEqual({ status });
  });

  it.each(["partial", "unknown"] as const)(
    "have an unknown status if it is %s, whatever the receipts",
    (status) => {
      expect(callsOutcome({ status, receipts })).toEqual({ status: "unknown" });
      expect(callsOutcome({ status, receipts: [] })).toEqual({ status: "unknown" });
    },
  );
});
