import { expect, it } from "vitest";
import { namesContaining } from "./useStudioSearch.ts";

it("namesContaining() finds names by any part, those that begin with it first", () => {
  const names = ["Byproduct", "Order", "ProductLine", "Product"];
  expect(namesContaining(names, "prod")).toEqual(["Product", "ProductLine", "Byproduct"]);
  expect(namesContaining(names, "nothing")).toEqual([]);
});
