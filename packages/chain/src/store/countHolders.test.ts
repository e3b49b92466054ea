import { expect, it } from "vitest";
import { countHolders } from "./countHolders.ts";
import { encodeOrdered } from "./orderedInteger.ts";

const [ALICE, BOB] = ["a1".repeat(20), "b2".repeat(20)];
const NOBODY = "00".repeat(20);

const transfer = (position: number, from: string, to: string, amount: bigint) =>
  position.toString(16).padStart(16, "0") + from + to + amount.toString(16).padStart(64, "0");

const balances = (amounts: Record<string, bigint>) =>
  Object.entries(amounts)
    .map(([owner, amount]) => owner + encodeOrdered(amount).toString("hex"))
    .join("");

it("holders are counted back over mints, transfers, burns, and over pages of transfers", () => {
  const transfers = [
    transfer(40, ALICE, NOBODY, 2n) + transfer(30, ALICE, BOB, 5n),
    transfer(20, NOBODY, ALICE, 2n ** 255n),
  ];
  const held = balances({ [ALICE]: 2n ** 255n - 7n, [BOB]: 5n });
  const counts = countHolders({ holders: 2, balances: held, transfers, starts: [50, 35, 25, 15] });
  expect(counts).toEqual([2, 2, 1, 0]);
});

it("owners whose sum is negative do not count as holders, as of contracts that do not log all transfers", () => {
  const transfers = [transfer(20, ALICE, BOB, 9n)];
  const held = balances({ [ALICE]: -9n, [BOB]: 9n });
  expect(countHolders({ holders: 1, balances: held, transfers, starts: [30, 10] })).toEqual([1, 0]);
});

it("the count stays the same before and after the transfers", () => {
  expect(countHolders({ holders: 7, balances: "", transfers: [], starts: [30, 20] })).toEqual([7, 7]);
});
