import { createTranslator } from "@purse/ui";
import { expect, it } from "vitest";
import { type AppChain, chainName } from "../settings.ts";
import { chainNameOf } from "./chains.ts";

const { t } = createTranslator("en");
const chain: AppChain = {
  id: 1,
  hexId: "0x1",
  name: "eth",
  title: "Ethereum",
  rpcUrl: null,
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  wrappedNative: null,
};

it("chainName() names known chains and the local chain in words", () => {
  expect(chainName(chain, t)).toBe("Ethereum");
  expect(chainName({ name: "mine" }, t)).toBe("mine");
  expect(chainName({ ...chain, name: "localdevchain" }, t)).toBe("Local chain");
});

it("chainNameOf() names known chains in words, and others by their number", () => {
  expect(chainNameOf("0x1")).toBe("Ethereum Mainnet");
  expect(chainNameOf("0xfffff")).toBe("1048575");
});
