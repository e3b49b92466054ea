import { methodOf } from "@purse/protocol";
import { parseAbi, parseAbiItem, toFunctionSelector } from "viem";
import { describe, expect, it } from "vitest";
import { MARKETPLACES } from "./marketplaces.ts";
import { FUNCTIONS } from "./signatures.ts";

describe("the signatures of known functions", () => {
  it("all have a name for lists, which do not decode calls", () => {
    const functions = [...FUNCTIONS.map((text) => parseAbiItem([text])), ...parseAbi(MARKETPLACES)].filter(
      (item) => item.type === "function",
    );
    expect(functions.length).toBeGreaterThan(100);
    const listed = functions.map((item) => `${item.name} ${methodOf(toFunctionSelector(item))}`);
    expect(listed).toEqual(functions.map(({ name }) => `${name} ${name}`));
  });
});
