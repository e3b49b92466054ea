import { expect, it } from "vitest";
import { Chains } from "./chains.ts";
import { Units } from "./units.ts";

it.each([
  ["1", "1000000000000000000"],
  [0.5, "500000000000000000"],
  [".25", "250000000000000000"],
  [1e-18, "1"],
  ["0", "0"],
  [10n, "10000000000000000000"],
  ["123456789.123456789123456789", "123456789123456789123456789"],
  ["-1.5", "-1500000000000000000"],
])("ETH(%s) is %s wei", { tags: ["9.token-amount-decimals"] }, (ether, wei) => {
  expect(Units.ETH(ether)).toBe(wei);
  expect(Units.Token(ether)).toBe(wei);
});

it("Token() accepts other numbers of decimals", () => {
  expect(Units.Token("1.5", 6)).toBe("1500000");
  expect(Units.Token("1.5", "6")).toBe("1500000");
  expect(Units.Token("15", 0)).toBe("15");
  expect(() => Units.Token("0.1234567", 6)).toThrow("more than 6 decimals");
  expect(() => Units.Token("one")).toThrow("Not an amount: one");
  expect(() => Units.Token("1", -1)).toThrow("Not a number of decimals: -1");
});

it.each([
  ["1000000000000000000", "1"],
  ["1500000000000000000", "1.5"],
  ["1", "0.000000000000000001"],
  ["0", "0"],
  ["-1500000000000000000", "-1.5"],
  ["0xde0b6b3a7640000", "1"],
  [123456789123456789123456789n, "123456789.123456789123456789"],
])("FromWei(%s) is %s", (wei, ether) => {
  expect(Units.FromWei(wei)).toBe(ether);
});

it("FromWei() converts token amounts by their decimals, without rounding", () => {
  expect(Units.FromWei("1500000", 6)).toBe("1.5");
  expect(Units.FromWei("15", 0)).toBe("15");
  expect(() => Units.FromWei("1.5")).toThrow("Not a whole amount: 1.5");
  expect(() => Units.FromWei(1e18)).toThrow("too large for a number");
});

it("FromWei() of a balance that is not known yet is 0", () => {
  expect([Units.FromWei(undefined), Units.FromWei(null, 6)]).toEqual(["0", "0"]);
});

it("Chains has the correct and the legacy spellings", () => {
  expect(Chains).toMatchObject({
    ETH_MAINENT: "0x1",
    ETH_MAINNET: "0x1",
    ETH_RINKBEY: "0x4",
    ETH_RINKEBY: "0x4",
    ETH_LOCALDEVCHAIN: "0x539",
    FANTOM_MAINNET: "0xfa",
  });
});
