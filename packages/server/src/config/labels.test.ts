import { describe, expect, it } from "vitest";
import { parseLabels } from "./labels.ts";

const address = `0x${"Ab".repeat(20)}`;

describe("the labels of a chain", () => {
  it("are token lists, spam and verified contracts, with addresses in lower case", () => {
    const labels = {
      tokenLists: ["tokens.json", "https://lists.example/a.json"],
      spam: [address],
      verified: [],
    };
    expect(parseLabels("mine", { rpcUrl: "http://localhost:1", ...labels })).toEqual({
      ...labels,
      spam: [address.toLowerCase()],
    });
    expect(parseLabels("mine", { rpcUrl: "http://localhost:1" })).toBeUndefined();
  });

  it.each([
    [{ spam: ["0x1"] }, /"chains.mine.spam\[0\]" of the config file: .*must be an address/],
    [{ tokenLists: "tokens.json" }, /tokenLists" of the config file/],
    [{ tokenLists: [""] }, /must be a path or a URL/],
  ])("are rejected if they are %j", (labels, error) => {
    expect(() => parseLabels("mine", labels)).toThrow(error);
  });
});
