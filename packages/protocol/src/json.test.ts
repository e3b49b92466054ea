import { describe, expect, it } from "vitest";
import { ProtocolError } from "./errors.ts";
import { assertWithinJsonLimits, type JsonLimits, parseJson } from "./json.ts";

const LIMITS: JsonLimits = { depth: 5, nodes: 20, values: 50, escapes: 1_000 };
const list = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join()}]`;

const objectOf = (keys: number) => `{${Array.from({ length: keys }, (_, i) => `"k${i}":1`).join()}}`;

function codeOf(text: string, limits = LIMITS): number | undefined {
  try {
    assertWithinJsonLimits(text, limits);
    return undefined;
  } catch (error) {
    return error instanceof ProtocolError ? error.code : Number.NaN;
  }
}

describe("parseJson", () => {
  it.each<[string, string, number | undefined]>([
    ["numbers up to the limit of values", list(50, "1"), undefined],
    ["one number more than that", list(52, "1"), 107],
    ["strings up to the limit of nodes", list(19, '"a"'), undefined],
    ["one string more than that", list(20, '"a"'), 107],
    ["more keys than nodes", `{${Array.from({ length: 21 }, (_, i) => `"k${i}":1`).join()}}`, 107],
    ["more empty arrays than nodes", list(20, "[]"), 107],
    ["arrays inside each other up to the limit of depth", `${"[".repeat(5)}${"]".repeat(5)}`, undefined],
    ["one array deeper than that", `${"[".repeat(6)}${"]".repeat(6)}`, 107],
    ["a long string of brackets, commas and escaped quotes", `["${'[{,\\"'.repeat(500)}"]`, undefined],
    [
      "a long string that ends in escaped backslashes",
      `["${"x".repeat(100)}\\\\\\\\",${list(30, '"a"')}]`,
      107,
    ],
    ["more escaped characters than the limit", `["${"\\n".repeat(1_001)}"]`, 107],
    ["a string that never ends", `["${'\\"'.repeat(500)}`, undefined],
  ])("limits the values, nodes, depth and escapes of JSON: %s", (_, text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  it.each<[string, string, number | undefined]>([
    ["an object with as many keys as it may have", `{"a":${objectOf(50_000)}}`, undefined],
    ["an object with one key more", `{"a":${objectOf(50_001)}}`, 107],
    ["a body with one key more", objectOf(50_001), 107],
    ["an object with more keys after an inner array", `{"b":[1,2],${objectOf(50_000).slice(1)}`, 107],
    ["two objects that have more together", `[${objectOf(40_000)},${objectOf(40_000)}]`, undefined],
    ["an array with more items", list(100_000, "1"), undefined],
  ])("limits the keys of one object, also with the master key: %s", (_, text, code) => {
    expect(codeOf(text, { depth: 200, nodes: 5_000_000, values: 20_000_000, escapes: 50_000_000 })).toBe(
      code,
    );
  });

  it("finds the end of every string, wherever it has escapes and quotes", () => {
    for (let length = 0; length < 300; length++) {
      for (const tail of ["", '\\"', "\\\\", '\\\\\\"', "\\n"]) {
        const text = JSON.stringify(`${"x".repeat(length)}`).slice(0, -1);
        const whole = `[${text}${tail}",${list(20, "[]")}]`;
        expect(codeOf(whole), whole).toBe(107);
      }
    }
  });

  it("returns the same as JSON.parse()", () => {
    const value = { a: [1, "two", { three: [true, null] }], "": '"\\' };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
    expect(() => parseJson("{")).toThrow(SyntaxError);
  });
});
