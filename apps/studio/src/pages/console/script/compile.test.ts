import { expect, it } from "vitest";
import { createScriptRunner } from "./runScript.ts";

const run = () => {
  const runner = createScriptRunner();
  return (code: string) => runner(code);
};

it("a script may await at its top level, and its last expression is its result", async () => {
  const evaluate = run();
  expect(await evaluate("await Promise.resolve(20) + 1;")).toBe(21);
  expect(await evaluate("const x = await Promise.resolve(1)\nx + 1 // two")).toBe(2);
  expect(await evaluate("({ a: 1 })")).toEqual({ a: 1 });
  expect(await evaluate("if (true) { 5 }")).toBeUndefined();
  expect(await evaluate("return 7")).toBe(7);
  expect(await evaluate("")).toBeUndefined();
});

it("a script can use and redeclare the variables, functions and classes of earlier scripts", async () => {
  const evaluate = run();
  await evaluate(
    "const a = 1, { b, c: [d = 4, ...rest] } = { b: 2, c: [undefined, 5, 6] }; let e; var location = 8",
  );
  expect(await evaluate("[a, b, d, rest, e, location]")).toEqual([1, 2, 4, [5, 6], undefined, 8]);
  await evaluate(
    "const early = twice(4)\nfunction twice(n) { return 2 * n }\nclass Point { constructor(x) { this.x = x } }",
  );
  expect(await evaluate("[early, twice(3), new Point(9).x]")).toEqual([8, 6, 9]);
  expect(await evaluate("const a = 2; a")).toBe(2);
  expect(await evaluate("var a; a")).toBe(2);
  expect(await evaluate("let a; a")).toBeUndefined();
  await evaluate("for (const item of [1]) { const inner = item }");
  await expect(evaluate("inner")).rejects.toThrow(ReferenceError);
});

it("a script that does not parse is rejected with the position", async () => {
  await expect(run()("const = 1")).rejects.toThrow(/Unexpected token \(1:6\)/);
});

it("a script of strict mode and one that ends in a comment run", async () => {
  const evaluate = run();
  expect(await evaluate('"use strict"; const s = 1; s // end')).toBe(1);
  expect(await evaluate("s")).toBe(1);
});
