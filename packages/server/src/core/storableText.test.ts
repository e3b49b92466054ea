import { isStorableText } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { storableText } from "./storableText.ts";

describe("storableText()", () => {
  it.each([
    ["short", "short"],
    ["a\0b", "a\u{fffd}b"],
    ["1234567\u{1f600}", "1234567\u{fffd}"],
    ["\ud800", "\u{fffd}"],
  ])("shortens %j to a text that can be stored", (text, expected) => {
    expect(storableText(text, 8)).toBe(expected);
    expect(isStorableText(storableText(text, 8))).toBe(true);
  });
});
