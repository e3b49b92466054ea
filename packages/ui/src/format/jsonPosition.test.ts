import { describe, expect, it } from "vitest";
import { jsonErrorPosition } from "./jsonPosition.ts";

describe("jsonErrorPosition()", () => {
  it.each([
    ["{x", 1, 2],
    ['{"a": 1,}', 1, 9],
    ['{"a": 1', 1, 8],
    ['{"a" 1}', 1, 6],
    ["[1, 2", 1, 6],
    ["[1 2]", 1, 4],
    ['{\n  "a": tru\n}', 2, 8],
    ["{} {}", 1, 4],
    ["", 1, 1],
    ['"\n"', 1, 1],
    ["01", 1, 2],
  ])("is where %j stops being JSON", (text, line, column) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(jsonErrorPosition(text)).toEqual({ line, column });
  });

  it.each([' {"a": [1, -2.5e+3, "\\u00e9\\n", true, null, {}], "b": []} ', "5", '"x"', "[[[]]]"])(
    "is undefined for JSON: %s",
    (text) => {
      expect(() => JSON.parse(text)).not.toThrow();
      expect(jsonErrorPosition(text)).toBeUndefined();
    },
  );
});
