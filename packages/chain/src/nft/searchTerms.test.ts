import { describe, expect, it } from "vitest";
import { partsOf, searchWords, wantedWords } from "./searchTerms.ts";

describe("the words of metadata", () => {
  it("say of which part they are, once each, without accents and capitals", () => {
    const attributes = [
      { trait_type: "Größe", value: 12 },
      { trait_type: "Eyes", value: "Blue" },
    ];
    expect(searchWords({ name: "Éclair ÉCLAIR", description: "a_b-c", attributes })).toBe(
      "neclair da db dc agroße a12 aeyes ablue",
    );
  });

  it("are taken from traits and properties too, whatever shape they have", () => {
    expect(searchWords({ traits: { fur: "red" }, properties: [["x", { y: true, z: null }]] })).toBe(
      "afur ared ax ay az",
    );
  });

  it("are none where there is nothing to read", () => {
    expect(searchWords({ name: { a: 1 }, description: null, attributes: 7n.toString() })).toBe("na n1 a7");
    expect(searchWords({})).toBe("");
  });

  it("are a bounded number of bounded length, however much there is", () => {
    const description = Array.from({ length: 5_000 }, (_, i) => `word${i}`).join(" ");
    const words = searchWords({ name: "x".repeat(100_000), description }).split(" ");
    expect(words).toHaveLength(501);
    expect(Math.max(...words.map(({ length }) => length))).toBe(41);
  });
});

describe("the words that somebody looks for", () => {
  it("are those of the parts that are asked for", () => {
    expect(wantedWords("Blue, CAT!", partsOf(["name", "attributes"]))).toEqual([
      ["nblue", "ablue"],
      ["ncat", "acat"],
    ]);
    expect(partsOf(["global", "name"])).toEqual(["name", "description", "attributes"]);
  });

  it("hold nothing that a database could take for a sign", () => {
    expect(wantedWords(`"' OR * | & : ( ) \\ -`, ["name"])).toEqual([["nor"]]);
    expect(wantedWords("?!", ["name"])).toEqual([]);
  });
});
