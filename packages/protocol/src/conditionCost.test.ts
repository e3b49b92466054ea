import { describe, expect, it } from "vitest";
import { conditionCost, PATTERN_COST, sortByCost } from "./conditionCost.ts";
import { parseWhere } from "./where.ts";

describe("conditionCost()", () => {
  it.each<[object, number]>([
    [{ n: 1 }, 1],
    [{ n: { $exists: true } }, 1],
    [{ n: { $in: [1, 2, 3] } }, 4],
    [{ text: { $regex: "^\\Qab\\E" } }, 1],
  ])("counts comparisons of simple values: %j", (where, cost) => {
    expect(conditionCost(parseWhere(where))).toBeGreaterThanOrEqual(cost);
    expect(conditionCost(parseWhere(where))).toBeLessThanOrEqual(cost + 2);
  });

  it.each([
    { text: { $regex: "a|b" } },
    { text: { $regex: "^\\Qab\\E", $options: "i" } },
    { tags: { $all: [{ $regex: "^a" }] } },
    { $or: [{ n: 1 }, { $and: [{ text: { $regex: "x$" } }] }] },
  ])("counts patterns higher than all other conditions, at any depth: %j", (where) => {
    expect(conditionCost(parseWhere(where))).toBeGreaterThanOrEqual(PATTERN_COST);
  });

  it("counts the points of a polygon", () => {
    const polygon = [0, 10, 20, 30].map((n) => ({
      __type: "GeoPoint",
      latitude: n,
      longitude: (n * n) % 70,
    }));
    const where = parseWhere({ place: { $geoWithin: { $polygon: polygon } } });
    expect(conditionCost(where)).toBeGreaterThan(polygon.length);
  });
});

describe("inOrderOfCost()", () => {
  it("puts cheap conditions first, and keeps the order of equal ones", () => {
    const where = parseWhere({ text: { $regex: "a|b" }, n: 1, list: { $in: [1, 2] }, m: 2 });
    const conditions = "conditions" in where ? where.conditions : [];
    const fields = sortByCost(conditions).map((each) => ("path" in each ? each.path[0] : ""));
    expect(fields).toEqual(["n", "m", "list", "text"]);
  });
});
