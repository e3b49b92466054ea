import { createTranslator } from "@purse/ui";
import { expect, it } from "vitest";
import type { AppChain } from "../settings.ts";
import { chainName, chainNameOf } from "./chains.ts";

const { t } = createTranslator("en");
const chain: AppChain = {
  id: 1,
  hexId: "0x1",
  name: "eth",
  rpcUrl: null,
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  wrappedNative: null,
};

it("chainName() names known chains and the local chain in words", () => {
  expect(chainName(chain, t)).toBe("Ethereum Mainnet");
  expect(chainName({ ...chain, hexId: "0x539", name: "localdevchain" }, t)).toBe("Local chain");
});

it("chainNameOf() names known chains in words, and others by their number", () => {
  expect(chainNameOf("0x1")).toBe("Ethereum Mainnet");
  expect(chainNameOf("0xfffff")).toBe("1048575");
});
