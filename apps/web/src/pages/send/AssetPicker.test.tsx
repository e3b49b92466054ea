import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { AssetPicker, findAssets } from "./AssetPicker.tsx";
import type { Sendable } from "./sendable.ts";

afterEach(cleanup);

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

it("AssetPicker lists the assets in a dialog instead of a list that hangs below the field", async () => {
  const chosen: string[] = [];
  render(<AssetPicker items={ITEMS} item={ITEMS[0]} onChoose={({ key }) => chosen.push(key)} />);
  const button = screen.getByRole("button", { name: "Asset ETH" });
  expect(button.getAttribute("aria-haspopup")).toBe("dialog");
  fireEvent.click(button);
  const dialog = await screen.findByRole("dialog", { name: "Choose an asset" });
  const list = screen.getByRole("list", { name: "Assets" });
  expect(dialog.contains(list)).toBe(true);
  fireEvent.change(screen.getByLabelText("Search"), { target: { value: "purse" } });
  await expect.poll(() => list.querySelectorAll("li").length).toBe(1);
  fireEvent.click(screen.getByRole("button", { name: /PURSE/ }));
  expect(chosen).toEqual(["0xAB12"]);
});
