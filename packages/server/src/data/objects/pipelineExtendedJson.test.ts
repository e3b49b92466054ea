import type { JsonValue } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { withoutExtendedJson } from "./pipelineExtendedJson.ts";

describe("Extended JSON in a pipeline", () => {
  it.each<[JsonValue, JsonValue]>([
    [{ $date: "2024-06-01T00:00:00Z" }, { __type: "Date", iso: "2024-06-01T00:00:00.000Z" }],
    [{ $date: { $numberLong: "0" } }, { __type: "Date", iso: "1970-01-01T00:00:00.000Z" }],
    [{ $oid: "abc" }, "abc"],
    [{ $numberInt: "5" }, 5],
    [{ $numberLong: "-7" }, -7],
    [{ $numberDouble: "1.5" }, 1.5],
    [{ $numberDecimal: "0.5" }, 0.5],
    [{ $regularExpression: { pattern: "^a", options: "i" } }, { $regex: "^a", $options: "i" }],
  ])("%j is %j", (sent, value) => {
    expect(withoutExtendedJson([{ $match: { field: { $gt: sent } } }])).toEqual([
      { $match: { field: { $gt: value } } },
    ]);
  });

  it.each<[JsonValue, string]>([
    [{ $date: "2024-02-30" }, "$date takes a date"],
    [{ $numberInt: "five" }, "$numberInt takes a number"],
    [{ $numberLong: "9007199254740993" }, "$toLong"],
  ])("%j is refused", (sent, message) => {
    expect(() => withoutExtendedJson({ $match: { field: sent } })).toThrow(message);
  });

  it("leaves operators and values of the wire format as they are", () => {
    const pipeline: JsonValue = [
      { $match: { at: { __type: "Date", iso: "2024-06-01T00:00:00.000Z" } } },
      { $match: { price: { __type: "NumberDecimal", value: { $numberDecimal: "5" } } } },
      { $project: { name: { $toUpper: "$name" } } },
    ];
    expect(withoutExtendedJson(pipeline)).toEqual(pipeline);
  });
});
