import { encodeFunctionData, parseAbi } from "viem";
import { describe, expect, it } from "vitest";
import { parseRevocation, revokeCall } from "./revoke.ts";

const TOKEN = `0x${"ab".repeat(20)}` as const;
const SPENDER = `0x${"0c".repeat(20)}` as const;
const NOBODY = `0x${"00".repeat(20)}` as const;
const abi = parseAbi(["function approve(address, uint256)", "function setApprovalForAll(address, bool)"]);

describe("revokeCall()", () => {
  it("sets an allowance to 0", () => {
    const call = revokeCall({ kind: "erc20", token: TOKEN, tokenId: null, spender: SPENDER });
    const data = encodeFunctionData({ abi, functionName: "approve", args: [SPENDER, 0n] });
    expect(call).toEqual({ to: TOKEN, data, value: 0n });
  });

  it("removes an operator of a collection", () => {
    const call = revokeCall({ kind: "nft_collection", token: TOKEN, tokenId: null, spender: SPENDER });
    expect(call.data).toBe(
      encodeFunctionData({ abi, functionName: "setApprovalForAll", args: [SPENDER, false] }),
    );
  });

  it("approves the null address for one NFT", () => {
    const call = revokeCall({ kind: "nft", token: TOKEN, tokenId: "257", spender: SPENDER });
    expect(call.data).toBe(encodeFunctionData({ abi, functionName: "approve", args: [NOBODY, 257n] }));
  });
});

describe("parseRevocation()", () => {
  it("reads a token, or an NFT with its id", () => {
    expect(parseRevocation("erc20", TOKEN.toUpperCase().replace("0X", "0x"), SPENDER)).toEqual({
      kind: "erc20",
      token: TOKEN,
      tokenId: null,
      spender: SPENDER,
    });
    expect(parseRevocation("nft", `${TOKEN}/7`, SPENDER)).toMatchObject({ tokenId: "7" });
  });

  it.each([
    ["erc20", undefined, SPENDER],
    ["erc20", "0x12", SPENDER],
    ["erc20", TOKEN, undefined],
    ["erc20", `${TOKEN}/7`, SPENDER],
    ["nft", TOKEN, SPENDER],
  ] as const)("rejects the kind %s with asset %s and spender %s", (kind, asset, spender) => {
    expect(parseRevocation(kind, asset, spender)).toBeUndefined();
  });
});
