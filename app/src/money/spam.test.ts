import { describe, expect, it } from "vitest";
import { type NamedToken, normalizeSymbol, spamReason } from "./spam.ts";

const token = (symbol: string, more: Partial<NamedToken> = {}): NamedToken => ({
  address: "0x1",
  name: symbol,
  symbol,
  isPriced: false,
  ...more,
});

describe("tokens that want to be taken for others", () => {
  it("are read as the eye reads them", () => {
    expect(normalizeSymbol("UЅDС")).toBe("USDC");
    expect(normalizeSymbol("ＵＳＤ\u200bC ")).toBe("USDC");
  });

  it("are kept apart where they copy the chain's own coin or another token", () => {
    const real = token("USDC", { address: "0x2", isPriced: true });
    const copy = token("USDС");
    expect(spamReason(copy, [copy, real], "ETH")).toBe("confusable");
    expect(spamReason(real, [copy, real], "ETH")).toBeUndefined();
    expect(spamReason(token("ΕΤΗ"), [], "ETH")).toBe("native");
  });

  it("are kept apart where their name is an advertisement or hides something", () => {
    expect(spamReason(token("GIFT", { name: "Visit claim-usd.com" }), [], "ETH")).toBe("link");
    expect(spamReason(token("US\u200bDC"), [], "ETH")).toBe("hidden");
  });

  it("are not kept apart for being unknown", () => {
    expect(spamReason(token("PURSE"), [token("PURSE")], "ETH")).toBeUndefined();
  });
});
