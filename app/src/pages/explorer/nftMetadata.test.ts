import { expect, it } from "vitest";
import { namesPicture, shownName, wordsOf } from "./nftMetadata.ts";

it("takes names, descriptions and attributes, and nothing else", () => {
  const metadata = JSON.stringify({
    name: "One",
    description: "A".repeat(3_000),
    image: "javascript:alert(1)",
    attributes: [{ trait_type: "Size", value: 3 }, { value: "bare" }, { trait_type: "Odd", value: {} }, null],
  });
  expect(wordsOf(metadata)).toEqual({
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
    expect(wordsOf(metadata)).toEqual({ name: undefined, description: undefined, attributes: [] });
  },
);

it("falls back to the collection's name", () => {
  expect(shownName({ name: "Pieces", metadata: null })).toBe("Pieces");
});

it("tells whether there is a picture to ask for", () => {
  expect(namesPicture('{"image_url":"ipfs://x"}')).toBe(true);
  expect(namesPicture('{"image":{}}')).toBe(false);
  expect(namesPicture(null)).toBe(false);
});
