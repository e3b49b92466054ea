import { describe, expect, it } from "vitest";
import { operatorsOf, toWhere, usesOnlyOwnFields } from "./filterQueries.ts";
import { parseFilters } from "./filters.ts";

describe("filters", () => {
  it("are converted to a where that requires all of them", () => {
    expect(toWhere([])).toBeUndefined();
    expect(toWhere([{ field: "n", operator: "least", value: 3 }])).toEqual({ n: { $gte: 3 } });
    expect(
      toWhere([
        { field: "name", operator: "contains", value: "a.b" },
        { field: "name", operator: "there" },
      ]),
    ).toEqual({ $and: [{ name: { $regex: "a\\.b", $options: "i" } }, { name: { $exists: true } }] });
  });

  it("are combined by or in a group, and by a sub-query for fields of another class", () => {
    const any = [
      { field: "n", operator: "is", value: 1 },
      { field: "owner", of: "name", operator: "begins", value: "A" },
    ] as const;
    const owner = { $inQuery: { className: "_User", where: { name: { $regex: "^A" } } } };
    expect(toWhere([{ any: [...any] }], () => "_User")).toEqual({ $or: [{ n: 1 }, { owner }] });
    expect(usesOnlyOwnFields({ any: [...any] })).toBe(false);
    expect(usesOnlyOwnFields(any[0])).toBe(true);
  });

  it("that are invalid in the URL are ignored", () => {
    expect(parseFilters("x")).toBeUndefined();
    expect(
      parseFilters([null, { field: "n" }, { field: "n", operator: "$where", value: 1 }]),
    ).toBeUndefined();
    expect(parseFilters([{ field: "n", operator: "is", value: 1 }, 5])).toHaveLength(1);
    expect(parseFilters([{ any: [{ field: "n" }, null] }, { any: [] }])).toBeUndefined();
  });

  it("have the operators of the field's type", () => {
    expect(operatorsOf({ type: "Object" })).toEqual(["there", "missing"]);
    expect(operatorsOf({ type: "String" })).toContain("contains");
    expect(operatorsOf({ type: "Boolean" })).not.toContain("less");
  });
});
