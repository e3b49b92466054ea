import { expect, it } from "vitest";
import { findAssets } from "./AssetPicker.tsx";
import type { Sendable } from "./sendable.ts";

const asset = (label: string, contract: string | null): Sendable => ({
  key: contract ?? "native",
  type: contract === null ? "native" : "erc20",
  label,
  unit: label,
  decimals: 18,
  balance: 1n,
  usdPrice: null,
  contract,
  tokenId: null,
});
const ITEMS = [asset("ETH", null), asset("PURSE · Purse Token", "0xAB12")];

it("findAssets() matches symbol, name and contract, ignoring case", () => {
  for (const text of ["purse", "TOKEN", " 0xab "]) expect(findAssets(ITEMS, text)).toEqual([ITEMS[1]]);
  expect(findAssets(ITEMS, "")).toEqual(ITEMS);
  expect(findAssets(ITEMS, "nothing")).toEqual([]);
});
