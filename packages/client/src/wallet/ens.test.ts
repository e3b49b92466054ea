import { encodeAbiParameters, type Hex } from "viem";
import { namehash, normalize } from "viem/ens";
import { expect, it } from "vitest";
import { scriptedProvider } from "../../test/scriptedProvider.ts";
import { ensName } from "./ens.ts";

const ADDRESS = `0x${"ab".repeat(20)}` as const;
const RESOLVER = `0x${"cd".repeat(20)}` as const;

/** A chain with an ENS registry; all names lead to the address, whose reverse record is `recorded`. */
function chainWith(recorded: string) {
  const known = namehash(`${ADDRESS.slice(2)}.addr.reverse`);
  const owned = new Set<string>();
  for (const name of [recorded, recorded.toLowerCase()]) {
    try {
      owned.add(namehash(normalize(name)));
    } catch {
      // Nobody can own it.
    }
  }
  return scriptedProvider({
    eth_call: ([{ data }]: [{ data: Hex }]) => {
      const node = `0x${data.slice(10, 74)}`;
      const selector = data.slice(0, 10);
      const address = (value: Hex) => encodeAbiParameters([{ type: "address" }], [value]);
      // resolver(bytes32), name(bytes32), addr(bytes32)
      if (selector === "0x0178b8bf") return address(RESOLVER);
      if (selector === "0x691f3431" && node === known)
        return encodeAbiParameters([{ type: "string" }], [recorded]);
      if (selector === "0x3b3b57de" && owned.has(node)) return address(ADDRESS);
      return "0x";
    },
  });
}

it.each(["vitalik.eth", "größe.eth", "👩‍🚀.eth"])("ensName() returns the primary name %s", async (name) => {
  expect(await ensName(ADDRESS, chainWith(name))).toBe(name);
});

it.each([
  "vitaIik.eth",
  "MetaMask.eth",
  "Ⓐbc.eth",
  "a\u200db.eth",
  "xn--ls8h.eth",
  "a b.eth",
  "a..eth",
  ".",
  "",
])("ensName() returns null for the record %j, which is no normal name", async (name) => {
  expect(await ensName(ADDRESS, chainWith(name))).toBeNull();
});
