import { Query } from "@purse/client";
import { describe, expect, it } from "vitest";
import { applyFilters, type Filter, parseFilters, serializeFilters } from "./filter.ts";

const where = (...filters: Filter[]) => applyFilters(new Query("Note"), filters, "-createdAt").toJSON();

describe("filters in the address", () => {
  it("come back as they were, whatever is in them", () => {
    const filters: Filter[] = [
      { field: "text", operator: "has", value: "a|b~c & d%" },
      { field: "done", operator: "is", value: "true" },
      { field: "text", operator: "set", value: "" },
    ];
    expect(parseFilters(serializeFilters(filters))).toEqual(filters);
  });

  it("are left out where they are none", () => {
    expect(parseFilters("$where~is~1|text~eval~1|_p~is~1|text~is~%E0%A4%A|done~is~true")).toEqual([
      { field: "done", operator: "is", value: "true" },
    ]);
    expect(parseFilters(undefined)).toEqual([]);
    expect(serializeFilters([])).toBeUndefined();
  });
});

describe("a filter's value", () => {
  it("is what it looks like", () => {
    expect(where({ field: "n", operator: "more", value: "12" })).toMatchObject({ where: { n: { $gt: 12 } } });
    expect(where({ field: "done", operator: "is", value: "true" })).toMatchObject({ where: { done: true } });
    expect(where({ field: "createdAt", operator: "less", value: "2026-03-01" })).toMatchObject({
      where: { createdAt: { $lt: { __type: "Date", iso: "2026-03-01T00:00:00.000Z" } } },
    });
  });

  it("is a text in quotes", () => {
    expect(where({ field: "zip", operator: "is", value: '"8001"' })).toMatchObject({
      where: { zip: "8001" },
    });
  });
});

it("puts the order into the query", () => {
  expect(applyFilters(new Query("Note"), [], "text").toJSON()).toMatchObject({ order: "text" });
  expect(where()).toMatchObject({ order: "-createdAt" });
});
