import { describe, expect, it } from "vitest";
import { metadataTerms, queryTerms, searchedParts } from "./searchTerms.ts";

describe("metadata terms", () => {
  it("have a prefix for their part, and are distinct, without accents and in lower case", () => {
    const attributes = [
      { trait_type: "Größe", value: 12 },
      { trait_type: "Eyes", value: "Blue" },
    ];
    expect(metadataTerms({ name: "Éclair ÉCLAIR", description: "a_b-c", attributes })).toBe(
      "neclair da db dc agroße a12 aeyes ablue",
    );
  });

  it("include traits and properties of any structure", () => {
    expect(metadataTerms({ traits: { fur: "red" }, properties: [["x", { y: true, z: null }]] })).toBe(
      "afur ared ax ay az",
    );
  });

  it("are empty for metadata without text", () => {
    expect(metadataTerms({ name: { a: 1 }, description: null, attributes: 7n.toString() })).toBe("na n1 a7");
    expect(metadataTerms({})).toBe("");
  });

  it("have a limited number and length", () => {
    const description = Array.from({ length: 5_000 }, (_, i) => `word${i}`).join(" ");
    const words = metadataTerms({ name: "x".repeat(100_000), description }).split(" ");
    expect(words).toHaveLength(501);
    expect(Math.max(...words.map(({ length }) => length))).toBe(41);
  });
});

describe("query terms", () => {
  it("are those of the selected parts", () => {
    expect(queryTerms("Blue, CAT!", searchedParts(["name", "attributes"]))).toEqual([
      ["nblue", "ablue"],
      ["ncat", "acat"],
    ]);
    expect(searchedParts(["global", "name"])).toEqual(["name", "description", "attributes"]);
  });

  it("contain no characters that a database could interpret", () => {
    expect(queryTerms(`"' OR * | & : ( ) \\ -`, ["name"])).toEqual([["nor"]]);
    expect(queryTerms("?!", ["name"])).toEqual([]);
  });
});
