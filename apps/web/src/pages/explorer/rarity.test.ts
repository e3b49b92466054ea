import { expect, it } from "vitest";
import { shareOfTrait } from "./rarity.ts";

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

it("shareOfTrait() returns the percentage of items with a value, including numbers", () => {
  expect(shareOfTrait(traits, { trait: "Fur", value: "gold" })).toBe(25);
  expect(shareOfTrait(traits, level)).toBe(100);
  expect(shareOfTrait(traits, { trait: "Fur", value: "green" })).toBeUndefined();
  expect(shareOfTrait(undefined, level)).toBeUndefined();
});
