import { describe, expect, it } from "vitest";
import { filtersIn, operatorsOf, whereOf } from "./filters.ts";

describe("filters", () => {
  it("are asked as the protocol does, all of them", () => {
    expect(whereOf([])).toBeUndefined();
    expect(whereOf([{ field: "n", operator: "least", value: 3 }])).toEqual({ n: { $gte: 3 } });
    expect(
      whereOf([
        { field: "name", operator: "contains", value: "a.b" },
        { field: "name", operator: "there" },
      ]),
    ).toEqual({ $and: [{ name: { $regex: "a\\.b", $options: "i" } }, { name: { $exists: true } }] });
  });

  it("that the address has wrong are left out", () => {
    expect(filtersIn("x")).toBeUndefined();
    expect(filtersIn([null, { field: "n" }, { field: "n", operator: "$where", value: 1 }])).toBeUndefined();
    expect(filtersIn([{ field: "n", operator: "is", value: 1 }, 5])).toHaveLength(1);
  });

  it("ask of a type what it can be asked", () => {
    expect(operatorsOf({ type: "Object" })).toEqual(["there", "missing"]);
    expect(operatorsOf({ type: "String" })).toContain("contains");
    expect(operatorsOf({ type: "Boolean" })).not.toContain("less");
  });
});
