import { describe, expect, it } from "vitest";
import { parseTextParameters, parseTexts } from "./pipelineParameters.ts";

describe("a parameter of a query string", () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ["5", 5],
    ["title", "title"],
    ["{broken", "{broken"],
  ])("%s is %j", (text, expected) => {
    expect(parseTextParameters(text)).toEqual(expected);
  });

  it("has values that are JSON, numbers or texts", () => {
    expect(parseTextParameters({ a: '["x"]', b: "12", c: "true", d: '"quoted"', e: 3 })).toEqual({
      a: ["x"],
      b: 12,
      c: "true",
      d: "quoted",
      e: 3,
    });
  });
});

it("JSON of a text with JSON is read as well", () => {
  expect(parseTexts(JSON.stringify('[{"$match":{}}]'))).toEqual([{ $match: {} }]);
  expect(parseTexts('[{"$match":{}}]')).toEqual([{ $match: {} }]);
  expect(parseTexts([{ $match: {} }])).toEqual([{ $match: {} }]);
});
