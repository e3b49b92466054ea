import type { JsonObject } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { queryParams, withoutQueryParams } from "./queryParams.ts";

describe("the parameters of a query that a trigger gets", () => {
  it.each<[JsonObject, JsonObject]>([
    [
      { where: '{"a":1}', limit: "5", skip: "2", count: "1" },
      { where: { a: 1 }, limit: 5, skip: 2, count: 1 },
    ],
    [
      { where: { a: 1 }, limit: 5, count: true },
      { where: { a: 1 }, limit: 5, count: 1 },
    ],
    [{ limit: "many", count: "0" }, {}],
    [
      { keys: ["a", "b"], include: "c", order: "-d" },
      { keys: "a,b", include: "c", order: "-d" },
    ],
    [
      { explain: "true", hint: "by_a", comment: "x" },
      { explain: true, hint: "by_a", comment: "x" },
    ],
    [{ where: "5", other: 1 }, {}],
  ])("are of %j: %j", (params, query) => {
    expect(queryParams(params)).toEqual(query);
  });

  it("are separate from the others of the request", () => {
    expect(withoutQueryParams({ where: {}, limit: 1, readPreference: "x", own: 1 })).toEqual({ own: 1 });
  });
});
