import { expect, it } from "vitest";
import { hasImage, nftName, parseNftMetadata } from "./nftMetadata.ts";

it("takes names, descriptions and attributes, and nothing else", () => {
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
  "makes nothing of %j",
  (metadata) => {
    expect(parseNftMetadata(metadata)).toEqual({ name: undefined, description: undefined, attributes: [] });
  },
);

it("falls back to the collection's name", () => {
  expect(nftName({ name: "Pieces", metadata: null })).toBe("Pieces");
});

it("knows whether there is an image", () => {
  expect(hasImage('{"image_url":"ipfs://x"}')).toBe(true);
  expect(hasImage('{"image":{}}')).toBe(false);
  expect(hasImage(null)).toBe(false);
});
