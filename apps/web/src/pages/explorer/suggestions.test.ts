import { createTranslator } from "@purse/ui";
import { expect, it } from "vitest";
import { searchSuggestions, suggestions } from "./suggestions.ts";

const texts = createTranslator("en");
const HASH = `0x${"ab".repeat(32)}`;

it.each([
  ["123", ["Block 123", "/explorer/block/123"]],
  [HASH, ["Transaction 0xabababab…abab", `/explorer/tx/${HASH}`]],
  [
    "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    ["Address 0xf39f…2266", "/explorer/address/0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"],
  ],
  ["Foo.eth", ["Name foo.eth", "/explorer?q=foo.eth"]],
  ["Jan 10 2025", ["Block at Jan 10, 2025, 12:00:00 AM", "/explorer?q=Jan%2010%202025"]],
])("suggestions() finds the page for %j", (words, [label, to]) => {
  expect(suggestions(words, texts)[0]).toMatchObject({ label, to });
});

it.each(["", "send", "USDC", "0x12"])("suggestions() returns nothing for %j", (words) => {
  expect(suggestions(words, texts)).toEqual([]);
});

it("searchSuggestions() searches tokens for a possible symbol or name", () => {
  expect(searchSuggestions("purse token", texts)).toEqual([
    { key: "token", label: 'Search tokens for "purse token"', to: "/explorer?q=purse%20token" },
  ]);
  expect(searchSuggestions("p", texts)).toEqual([]);
  expect(searchSuggestions("0x12", texts)).toEqual([]);
  expect(searchSuggestions("12", texts)).toEqual([]);
});
