import { describe, expect, it } from "vitest";
import { type NamedToken, normalizeSymbol, spamReason } from "./spam.ts";

const token = (symbol: string, more: Partial<NamedToken> = {}): NamedToken => ({
  address: "0x1",
  name: symbol,
  symbol,
  isPriced: false,
  isPossibleSpam: false,
  ...more,
});

describe("token symbols", () => {
  it("are normalized by their appearance", () => {
    expect(normalizeSymbol("UЅDС")).toBe("USDC");
    expect(normalizeSymbol("ＵＳＤ\u200bC ")).toBe("USDC");
  });

  it("are spam if they imitate the native coin or another token", () => {
    const real = token("USDC", { address: "0x2", isPriced: true });
    const copy = token("USDС");
    expect(spamReason(copy, [copy, real], "ETH")).toBe("confusable");
    expect(spamReason(real, [copy, real], "ETH")).toBeUndefined();
    expect(spamReason(token("ΕΤΗ"), [], "ETH")).toBe("native");
  });

  it("are spam if the server reports the token, or if their name has hidden characters", () => {
    expect(spamReason(token("GIFT", { isPossibleSpam: true }), [], "ETH")).toBe("reported");
    expect(spamReason(token("YFI", { name: "yearn.finance" }), [], "ETH")).toBeUndefined();
    expect(spamReason(token("US\u200bDC"), [], "ETH")).toBe("hidden");
  });

  it("are not spam for being unknown", () => {
    expect(spamReason(token("PURSE"), [token("PURSE")], "ETH")).toBeUndefined();
  });
});
