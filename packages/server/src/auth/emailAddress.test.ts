import { describe, expect, it } from "vitest";
import { isEmailAddress } from "./emailAddress.ts";
import { foldName } from "./uniqueKeys.ts";

describe("an email address", () => {
  it.each(["a@b", "first.last+tag@example.com", "jürgen@bücher.example"])("may be %s", (address) => {
    expect(isEmailAddress(address)).toBe(true);
  });

  it.each([
    "",
    "a",
    "a@",
    "@b",
    "a@b@c",
    "a b@c",
    "Ann <a@b.c>",
    "a@b.c, d@e.f",
    "a@b.c;d@e.f",
    '"a"@b.c',
    "a@b.c\r\nBcc: x@y.z",
    "a\u200b@b.c",
    `${"a".repeat(320)}@b.c`,
    null,
    ["a@b.c"],
  ])("is not %j", (value) => {
    expect(isEmailAddress(value)).toBe(false);
  });
});

describe("a folded name", () => {
  it.each([
    ["Ann", "ann"],
    ["Ａｎｎ", "ann"],
    ["ﬁnn", "finn"],
  ])("of %s is %s, so that look-alikes cannot both register", (name, folded) => {
    expect(foldName(name)).toBe(folded);
  });

  it("is refused with 142 if it is too long", () => {
    expect(() => foldName("x".repeat(10_000))).toThrow(expect.objectContaining({ code: 142 }));
  });
});
