import { expect, it } from "vitest";
import { hasImage, nftName, parseNftMetadata } from "./nftMetadata.ts";

it("parseNftMetadata() returns name, description and attributes only, with limited length", () => {
  const metadata = JSON.stringify({
    name: "One",
    description: "A".repeat(3_000),
    image: "javascript:alert(1)",
    attributes: [{ trait_type: "Size", value: 3 }, { value: "bare" }, { trait_type: "Odd", value: {} }, null],
  });
  expect(parseNftMetadata(metadata)).toEqual({
    name: "One",
    description: "A".repeat(2_000),
    attributes: [
      { trait: "Size", value: "3" },
      { trait: "", value: "bare" },
    ],
  });
});

it.each([null, undefined, "", "no json", "[1]", "null", '"text"', '{"name":{}}'])(
  "parseNftMetadata() returns nothing for %j",
  (metadata) => {
    expect(parseNftMetadata(metadata)).toEqual({ name: undefined, description: undefined, attributes: [] });
  },
);

it("nftName() falls back to the collection's name", () => {
  expect(nftName({ name: "Pieces", metadata: null })).toBe("Pieces");
});

it("hasImage() is true only for a string URL", () => {
  expect(hasImage('{"image_url":"ipfs://x"}')).toBe(true);
  expect(hasImage('{"image":{}}')).toBe(false);
  expect(hasImage(null)).toBe(false);
});
