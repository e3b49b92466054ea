import { expect, it } from "vitest";
import { coinAmount, formatCoins, gasPriceUnit, isCoinUnit, readableUnit } from "./coin.ts";

const ETHER = { symbol: "ETH", decimals: 18 };

it.each([
  [15n * 10n ** 17n, "en", "1.5 ETH"],
  [15n * 10n ** 17n, "de", "1,5 ETH"],
  [10n ** 12n, "en", "0.000001 ETH"],
  [420_000_000_000n, "en", "420 Gwei"],
  [21_000n, "en", "21,000 wei"],
  [1n, "en", "1 wei"],
  [0n, "en", "0 ETH"],
  [-1n, "en", "−1 wei"],
])("formatCoins() shows %d wei in %s as %s", (wei, language, text) => {
  expect(formatCoins(wei, ETHER, language)).toBe(text);
});

it("coinAmount() shows any unit, with all digits as the exact amount", () => {
  const wei = 1_234_567_890_123_456_789n;
  expect(coinAmount(wei, ETHER, "en", "coin")).toEqual({
    text: "1.234567",
    unit: "ETH",
    exact: "1.234567890123456789",
  });
  expect(coinAmount(wei, ETHER, "en", "gwei")).toMatchObject({ text: "1,234,567,890.12", unit: "Gwei" });
  expect(coinAmount(wei, ETHER, "en", "wei")).toMatchObject({
    text: "1,234,567,890,123,456,789",
    unit: "wei",
  });
});

it("readableUnit() keeps the unit of coins with other decimals", () => {
  expect(readableUnit(1n, { symbol: "X", decimals: 6 })).toBe("coin");
});

it("gasPriceUnit() is Gwei, and wei for prices of almost nothing", () => {
  expect([1_000_000_007n, 7n, 0n].map(gasPriceUnit)).toEqual(["gwei", "wei", "gwei"]);
});

it("isCoinUnit() refuses other texts of URLs", () => {
  expect(["coin", "gwei", "wei", "finney", undefined].map(isCoinUnit)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
