import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteLongIntegers, repairJson } from "./tolerantJson.ts";

describe("repairJson()", () => {
  it.each<[string, unknown]>([
    ['{"name":"a\nb\tc\r\nd"}', { name: "a\nb\tc\r\nd" }],
    ['{"name":"it\\\'s"}', { name: "it's" }],
    ['{"name":"\\$5 \\x \\-"}', { name: "$5 x -" }],
    ['{"name":"one \\\n line"}', { name: "one  line" }],
    ['{"name":"\u0001\u001f"}', { name: "\u0001\u001f" }],
    ['{"a":[1,2, ],"b":{"c":1,\n},}', { a: [1, 2], b: { c: 1 } }],
    ['{"name":"\\\\ , ] \\" \\\'",}', { name: "\\ , ] \" '" }],
    ['{"name":"\\u12"}', { name: "u12" }],
  ])("repairs %j", (text, value) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(JSON.parse(repairJson(text))).toEqual(value);
  });

  it("leaves valid JSON as it is", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(repairJson(json)).toBe(json);
        expect(JSON.parse(quoteLongIntegers(json))).toEqual(JSON.parse(json));
      }),
      { seed: 1 },
    );
  });

  it("takes time that grows with the length of the text", () => {
    for (const part of ['"', "\\", ", ", '"\\', "[,", '"a\n']) repairJson(part.repeat(100_000));
  });
});

it("quoteLongIntegers() keeps the digits of integers that numbers round", () => {
  const json =
    '{"a":9007199254740993,"b":[-123456789012345678901,9007199254740992,1.5e300,"9007199254740993"],"c":1}';
  expect(JSON.parse(quoteLongIntegers(json))).toEqual({
    a: "9007199254740993",
    b: ["-123456789012345678901", 2 ** 53, 1.5e300, "9007199254740993"],
    c: 1,
  });
});
