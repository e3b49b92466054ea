import { expect, it } from "vitest";
import { offeredTiers } from "./fees.ts";

const fee = (maxFeePerGas: bigint) => ({ maxFeePerGas, maxPriorityFeePerGas: 1n });

it("offeredTiers() returns one tier if all cost the same, and three otherwise", () => {
  const same = { slow: fee(5n), normal: fee(5n), fast: fee(5n), baseFeePerGas: 2n };
  expect(offeredTiers(same)).toEqual(["normal"]);
  expect(offeredTiers({ ...same, fast: fee(6n) })).toEqual(["slow", "normal", "fast"]);
});
