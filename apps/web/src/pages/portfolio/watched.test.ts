import { expect, it } from "vitest";
import { parseWatched } from "./watched.ts";

const ADDRESS = `0x${"ab".repeat(20)}`;

it("parseWatched() returns addresses once, and drops everything else", () => {
  expect(parseWatched(JSON.stringify([ADDRESS, ADDRESS, "0x12", 7, null]))).toEqual([ADDRESS]);
});

it("parseWatched() returns nothing of text that is no list", () => {
  for (const text of [null, "", "{", "{}", "7"]) expect(parseWatched(text)).toEqual([]);
});
