import { expect, it } from "vitest";
import { normalizeMetadata } from "./normalizedMetadata.ts";

it("normalizeMetadata() keeps the digits of traits above 2^53", () => {
  const attributes = `[{"trait_type":"dna","value":12345678901234567890,"max_value":99999999999999999999},
    {"trait_type":"level","value":3,"max_value":10},{"trait_type":"share","value":0.1}]`;
  expect(normalizeMetadata(`{"name":"a","attributes":${attributes}}`)?.attributes).toEqual([
    { trait_type: "dna", value: "12345678901234567890", display_type: null, max_value: 1e20 },
    { trait_type: "level", value: 3, display_type: null, max_value: 10 },
    { trait_type: "share", value: 0.1, display_type: null, max_value: null },
  ]);
  expect(normalizeMetadata('{"traits":{"dna":9007199254740993}}')?.attributes[0]?.value).toBe(
    "9007199254740993",
  );
});
