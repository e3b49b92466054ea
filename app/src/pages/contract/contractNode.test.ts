import { expect, it } from "vitest";
import { type Ask, readFacts } from "./contractNode.ts";

const CONTRACT = `0x${"11".repeat(20)}`;
const RUN = `0x${"ab".repeat(20)}`;
const WORD = `0x${"0".repeat(24)}${"ab".repeat(20)}`;
/** PUSH4 owner(). */
const OWNED = "0x638da5cb5b";

/** A node that knows the code of addresses and what is at places of the contract. */
function node(code: Record<string, string>, places: Record<string, string> = {}): Ask {
  return async (method, [first, second]) => {
    if (method === "eth_getCode") return code[String(first)] ?? "0x";
    if (method === "eth_getStorageAt") return places[String(second)] ?? `0x${"0".repeat(64)}`;
    throw new Error("execution reverted");
  };
}

it.each([
  ["EIP-1967", "0x6000", { "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc": WORD }],
  ["EIP-1822", "0x6000", { "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7": WORD }],
  ["EIP-1167", `0x363d3d373d3d3d363d73${"ab".repeat(20)}5af43d82803e903d91602b57fd5bf3`, {}],
  ["EIP-7702", `0xef0100${"AB".repeat(20)}`, {}],
  ["Safe", "0x63a619486e", { "0x0": WORD }],
])("finds what a proxy runs, and its functions: %s", async (_, code, places) => {
  const facts = await readFacts(node({ [CONTRACT]: code, [RUN]: OWNED }, places), CONTRACT);
  expect(facts).toMatchObject({ isContract: true, implementation: RUN });
  expect(facts.found?.[0]).toMatchObject({ name: "owner" });
});

it("takes what another contract keeps at place 0 for no proxy", async () => {
  const facts = await readFacts(node({ [CONTRACT]: OWNED }, { "0x0": WORD }), CONTRACT);
  expect(facts.implementation).toBeUndefined();
});

it("knows a wallet from a contract", async () => {
  expect(await readFacts(node({}), CONTRACT)).toMatchObject({ isContract: false });
});
