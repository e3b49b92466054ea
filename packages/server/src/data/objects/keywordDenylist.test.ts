import { describe, expect, it } from "vitest";
import { createKeywordCheck } from "./keywordDenylist.ts";

describe("a denied keyword", () => {
  const check = createKeywordCheck([
    { key: "_bsontype", value: "Code" },
    { key: "^\\$where$" },
    { value: "^evil$" },
  ]);

  it.each([
    [{ _bsontype: "Code" }],
    [{ a: [{ b: { $where: "1" } }] }],
    [["evil"]],
    [{ deep: { deeper: ["evil"] } }],
  ])("is found in %j, and throws 105", (data) => {
    expect(() => check(data)).toThrow(expect.objectContaining({ code: 105 }));
  });

  it.each([
    [{ _bsontype: "Symbol" }],
    [{ where: "$where" }],
    [{ $wherever: 1 }],
    [{ a: 1, b: null, c: ["devilish"] }],
  ])("is not found in %j", (data) => {
    expect(() => check(data)).not.toThrow();
  });

  it("is named in the error", () => {
    expect(() => check({ $where: 1 })).toThrow('Prohibited keyword in request data: {"key":"^\\\\$where$"}.');
  });
});

it("a value that is no text is compared as it is, and patterns match texts only", () => {
  const check = createKeywordCheck([{ key: "limit", value: 0 }]);
  expect(() => check({ limit: 0 })).toThrow(expect.objectContaining({ code: 105 }));
  expect(() => check({ limit: "0" })).not.toThrow();
});

it("without denied keywords everything is allowed", () => {
  expect(() => createKeywordCheck([])({ $where: "1" })).not.toThrow();
});
