import { createTranslator } from "@purse/ui";
import { expect, it } from "vitest";
import { searchSuggestions, suggestions } from "./suggestions.ts";

const { t } = createTranslator("en");
const HASH = `0x${"ab".repeat(32)}`;

it.each([
  ["123", ["Block 123", "/explorer/block/123"]],
  [HASH, ["Transaction 0xabababab…abab", `/explorer/tx/${HASH}`]],
  [
    "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    ["Address 0xf39f…2266", "/explorer/address/0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"],
  ],
  ["Foo.eth", ["Name foo.eth", "/explorer?q=foo.eth"]],
])("suggestions() finds the page for %j", (words, [label, to]) => {
  expect(suggestions(words, t)[0]).toMatchObject({ label, to });
});

it.each(["", "send", "USDC", "0x12"])("suggestions() returns nothing for %j", (words) => {
  expect(suggestions(words, t)).toEqual([]);
});

it("searchSuggestions() searches tokens for a possible symbol or name", () => {
  expect(searchSuggestions("purse token", t)).toEqual([
    { key: "token", label: 'Search tokens for "purse token"', to: "/explorer?q=purse%20token" },
  ]);
  expect(searchSuggestions("p", t)).toEqual([]);
  expect(searchSuggestions("0x12", t)).toEqual([]);
  expect(searchSuggestions("12", t)).toEqual([]);
});
