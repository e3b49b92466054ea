import { expect, it } from "vitest";
import { rarityScore, shareOfTrait } from "./rarity.ts";

const traits = {
  token_address: "0x1",
  total_tokens: 4,
  is_partial: false,
  traits: [
    {
      trait_type: "Fur",
      values: [
        { value: "gold", count: 1, percentage: 25 },
        { value: "gray", count: 3, percentage: 75 },
      ],
    },
    { trait_type: "Level", values: [{ value: 7, count: 4, percentage: 100 }] },
  ],
};
const level = { trait: "Level", value: "7" };

it("finds the share of items with a value, numbers too", () => {
  expect(shareOfTrait(traits, { trait: "Fur", value: "gold" })).toBe(25);
  expect(shareOfTrait(traits, level)).toBe(100);
  expect(shareOfTrait(traits, { trait: "Fur", value: "green" })).toBeUndefined();
  expect(shareOfTrait(undefined, level)).toBeUndefined();
});

it("scores rare values above 1, and the collection's average is 1", () => {
  const gold = rarityScore(traits, [{ trait: "Fur", value: "gold" }, level]) ?? 0;
  const gray = rarityScore(traits, [{ trait: "Fur", value: "gray" }, level]) ?? 0;
  expect(gold).toBeGreaterThan(1);
  expect(gray).toBeLessThan(1);
  expect((gold + 3 * gray) / 4).toBeCloseTo(1);
});

it("gives no score to items whose traits are unknown or all alike", () => {
  expect(rarityScore(traits, [{ trait: "Fur", value: "green" }])).toBeUndefined();
  expect(rarityScore(traits, [])).toBeUndefined();
  expect(rarityScore({ ...traits, is_partial: true }, [level])).toBeUndefined();
  expect(rarityScore({ ...traits, traits: traits.traits.slice(1) }, [level])).toBeUndefined();
});
