import { expect, it } from "vitest";
import { totalWorth } from "./CostSummary.tsx";
import type { Sendable } from "./sendable.ts";

const asset = (usdPrice: number | null): Sendable => ({
  key: "native",
  type: "native",
  label: "ETH",
  unit: "ETH",
  decimals: 2,
  balance: 1_000n,
  usdPrice,
  contract: null,
  tokenId: null,
});

it("totalWorth() adds the values of the amount and the fee, each at its own price", () => {
  expect(totalWorth({ item: asset(2), amount: 150n, coin: asset(10), fee: 5n })).toBeCloseTo(3.5);
});

it("totalWorth() is null if a price is unknown", () => {
  expect(totalWorth({ item: asset(null), amount: 1n, coin: asset(1), fee: 1n })).toBeNull();
  expect(totalWorth({ item: asset(1), amount: 1n, coin: asset(null), fee: 1n })).toBeNull();
});
