import { describe, expect, it } from "vitest";
import { looksLikeSpam } from "./spamRules.ts";

describe("looksLikeSpam", () => {
  it.each([
    ["https://claim-eth.example"],
    ["Visit www.lucky.example"],
    ["$5000 USDC at usd-reward.com"],
    ["Claim rewards on apy-eth.xyz"],
    ["ETHG Voucher: ethg.gift"],
    ["t.me/airdrops"],
    ["US\u200bDC"],
    ["\u202eCDSU"],
  ])("reports the name %j", (name) => {
    expect(looksLikeSpam(name, "TKN")).toBe(true);
    expect(looksLikeSpam("Token", name)).toBe(true);
  });

  it.each([
    ["USD Coin"],
    ["yearn.finance"],
    ["Curve.fi Token"],
    ["Uniswap V3 Positions NFT-V1"],
    ["Bored Ape Yacht Club"],
    ["Reward Token"],
    ["👨\u200d👩\u200d👧 Family"],
    [""],
  ])("does not report the name %j", (name) => {
    expect(looksLikeSpam(name, null)).toBe(false);
  });
});
