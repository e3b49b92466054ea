import { expect, it } from "vitest";
import { type RpcRequest, readContractInfo } from "./contractInfo.ts";

const CONTRACT = `0x${"11".repeat(20)}`;
const IMPLEMENTATION = `0x${"ab".repeat(20)}`;
const WORD = `0x${"0".repeat(24)}${"ab".repeat(20)}`;
/** PUSH4 owner(). */
const OWNED = "0x638da5cb5b";

/** A node that knows the code of addresses and what is at places of the contract. */
function createNode(code: Record<string, string>, slots: Record<string, string> = {}): RpcRequest {
  return async (method, [first, second]) => {
    if (method === "eth_getCode") return code[String(first)] ?? "0x";
    if (method === "eth_getStorageAt") return slots[String(second)] ?? `0x${"0".repeat(64)}`;
    throw new Error("execution reverted");
  };
}

it.each([
  ["EIP-1967", "0x6000", { "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc": WORD }],
  ["EIP-1822", "0x6000", { "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7": WORD }],
  ["EIP-1167", `0x363d3d373d3d3d363d73${"ab".repeat(20)}5af43d82803e903d91602b57fd5bf3`, {}],
  ["EIP-7702", `0xef0100${"AB".repeat(20)}`, {}],
  ["Safe", "0x63a619486e", { "0x0": WORD }],
])("readContractInfo() finds the implementation of a proxy and its functions: %s", async (_, code, slots) => {
  const info = await readContractInfo(
    createNode({ [CONTRACT]: code, [IMPLEMENTATION]: OWNED }, slots),
    CONTRACT,
  );
  expect(info).toMatchObject({ isContract: true, implementation: IMPLEMENTATION });
  expect(info.detectedAbi?.[0]).toMatchObject({ name: "owner" });
});

it("readContractInfo() does not use slot 0 of contracts that are no proxies", async () => {
  const info = await readContractInfo(createNode({ [CONTRACT]: OWNED }, { "0x0": WORD }), CONTRACT);
  expect(info.implementation).toBeUndefined();
});

it("readContractInfo() distinguishes contracts from wallets", async () => {
  expect(await readContractInfo(createNode({}), CONTRACT)).toMatchObject({ isContract: false });
});
