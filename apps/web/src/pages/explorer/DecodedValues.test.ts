import { expect, it } from "vitest";
import { isAmount } from "./DecodedValues.tsx";

const TOKEN = { address: "0x1", name: "Pool", symbol: "UNI-V2", decimals: "18" };
const value = (name: string, text = "197431606879412259770", type = "uint256") => ({ name, type, text });

it.each(["value", "amount", "wad", "_value"])(
  "isAmount() takes %s of a token's event for an amount of it",
  (name) => {
    expect(isAmount(value(name), TOKEN)).toBe(true);
  },
);

it.each(["amount0In", "amount1Out", "reserve0", "assets", "tokenId", ""])(
  "isAmount() does not take %j for an amount of the contract's own token",
  (name) => {
    expect(isAmount(value(name), TOKEN)).toBe(false);
  },
);

it("isAmount() is false for numbers that are too small, for other types, and without a token", () => {
  expect(isAmount(value("value", "12"), TOKEN)).toBe(false);
  expect(isAmount(value("value", "197431606879412259770", "bytes32"), TOKEN)).toBe(false);
  expect(isAmount(value("value"), undefined)).toBe(false);
});
