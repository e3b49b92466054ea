import type { JsonValue } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { parseTokenGate } from "./parseTokenGate.ts";

const TOKEN = `0x${"ab".repeat(20)}`;
const GATE = { chainId: 1, token: TOKEN, standard: "ERC20" };
const parse = (value: JsonValue) => parseTokenGate(value, Number);

describe("a token gate", () => {
  it("requires one token by default", () => {
    expect(parse(GATE)).toEqual({ chainId: 1, holding: { token: TOKEN, standard: "ERC20" }, min: 1n });
  });

  it.each(["erc-721", "ERC721", "Erc721"])("accepts the standard as %s", (standard) => {
    expect(parse({ ...GATE, standard }).holding.standard).toBe("ERC721");
  });

  it("reads large numbers from decimal texts, without a loss", () => {
    const large = (2n ** 256n - 1n).toString();
    expect(parse({ ...GATE, standard: "ERC1155", tokenId: large, min: large })).toMatchObject({
      holding: { tokenId: large },
      min: 2n ** 256n - 1n,
    });
  });

  it.each<[string, JsonValue]>([
    ["it must be an object", "gate"],
    ["unknown key amount", { ...GATE, amount: 1 }],
    ["standard must be ERC20, ERC721 or ERC1155", { ...GATE, standard: "ERC777" }],
    ["chainId is missing", { token: TOKEN, standard: "ERC20" }],
    ["token must be the address of a contract", { ...GATE, token: "0x12" }],
    ["ERC20 tokens have no tokenId", { ...GATE, tokenId: 1 }],
    ["tokenId is required for ERC1155", { ...GATE, standard: "ERC1155" }],
    ["min must be 1 or more", { ...GATE, min: 0 }],
    ["min must be a whole number, as a decimal string if it is large", { ...GATE, min: 1.5 }],
    ["min must be a whole number, as a decimal string if it is large", { ...GATE, min: "-1" }],
    ["min must be a whole number, as a decimal string if it is large", { ...GATE, min: 2 ** 60 }],
    [
      "tokenId must be a whole number, as a decimal string if it is large",
      { ...GATE, standard: "ERC721", tokenId: (2n ** 256n).toString() },
    ],
  ])("is refused with 142: %s", (message, value) => {
    expect(() => parse(value)).toThrow(
      expect.objectContaining({ code: 142, message: `Invalid token gate: ${message}` }),
    );
  });
});
