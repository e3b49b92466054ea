import { expect, it } from "vitest";
import { Units } from "./units.ts";

it.each([
  ["1", "1000000000000000000"],
  [0.5, "500000000000000000"],
  [".25", "250000000000000000"],
  [1e-18, "1"],
  ["0", "0"],
])("[9.token-amount-decimals] ETH(%s) is %s wei", (ether, wei) => {
  expect(Units.ETH(ether)).toBe(wei);
  expect(Units.Token(ether)).toBe(wei);
});

it("takes other decimals", () => {
  expect(Units.Token("1.5", 6)).toBe("1500000");
  expect(() => Units.Token("0.1234567", 6)).toThrow("more than 6 decimals");
  expect(() => Units.Token("one")).toThrow("Not an amount: one");
});

it.each([
  ["1000000000000000000", "1"],
  ["1500000000000000000", "1.5"],
  ["1", "0.000000000000000001"],
  ["0", "0"],
])("FromWei(%s) is %s", (wei, ether) => {
  expect(Units.FromWei(wei)).toBe(ether);
});
