import { expect, it } from "vitest";
import { joinBalanced } from "./joinBalanced.ts";

const terms = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`);

it("joinBalanced() puts up to 50 terms into one pair of parentheses", () => {
  expect(joinBalanced(["a"], " AND ")).toBe("(a)");
  expect(joinBalanced(["a", "b"], " OR ")).toBe("(a OR b)");
  expect(joinBalanced(terms(50), " OR ")).toBe(`(${terms(50).join(" OR ")})`);
});

it("joinBalanced() groups more terms by 50, in their order and without empty groups", () => {
  const [first, second] = [terms(100).slice(0, 50), terms(100).slice(50)];
  expect(joinBalanced(terms(100), " AND ")).toBe(`((${first.join(" AND ")}) AND (${second.join(" AND ")}))`);
  expect(joinBalanced(terms(51), " AND ")).toBe(`((${first.join(" AND ")}) AND (t50))`);
});
