import { expect, it } from "vitest";
import { parseWatched } from "./watched.ts";

const ADDRESS = `0x${"ab".repeat(20)}`;

it("parseWatched() returns distinct valid addresses", () => {
  expect(parseWatched(JSON.stringify([ADDRESS, ADDRESS, "0x12", 7, null]))).toEqual([ADDRESS]);
});

it("parseWatched() returns nothing for text that is not a list", () => {
  for (const text of [null, "", "{", "{}", "7"]) expect(parseWatched(text)).toEqual([]);
});
