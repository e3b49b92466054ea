import { ParseObject } from "@purse/client";
import { expect, it } from "vitest";
import { createScriptRunner } from "./runScript.ts";
import { treeText } from "./valueText.ts";
import { toValueTree } from "./valueTree.ts";

it("toValueTree() describes nested values, collections, dates and cycles", () => {
  const value: Record<string, unknown> = {
    a: [1, "two", null],
    when: new Date(0),
    map: new Map([["k", 1n]]),
  };
  value.self = value;
  expect(treeText(toValueTree(value))).toBe(
    `Object
  a: Array(3)
    0: 1
    1: "two"
    2: null
  when: 1970-01-01T00:00:00.000Z
  map: Map(1)
    k: 1n
  self: Object ↻`,
  );
  expect(treeText(toValueTree("plain"))).toBe("plain");
  expect(toValueTree(undefined)).toEqual({ kind: "literal", text: "undefined" });
});

it("toValueTree() shows the fields of an object of the SDK", () => {
  const note = ParseObject.fromJSON({ className: "Note", objectId: "n1", title: "Tea" });
  expect(treeText(toValueTree([note]))).toContain('0: Note n1\n    objectId: "n1"\n    title: "Tea"');
});

it("toValueTree() bounds depth, entries and nodes, and survives getters that throw", () => {
  const wide = toValueTree(Array.from({ length: 150 }, (_, i) => i));
  expect([wide.entries?.length, wide.omitted]).toEqual([100, 50]);
  const many = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => ({ a: 1 })));
  expect(treeText(toValueTree(many)).split("\n").length).toBeLessThan(4_000);
  let deep: object = {};
  for (let i = 0; i < 50; i += 1) deep = { deep };
  expect(treeText(toValueTree(deep)).split("\n").length).toBeLessThan(12);
  const hostile = {
    get bad() {
      throw new Error("no");
    },
  };
  expect(treeText(toValueTree(hostile))).toContain("bad: Error: no");
  const proxy = new Proxy({}, { ownKeys: () => Reflect.ownKeys(JSON.parse("null")) });
  expect(treeText(toValueTree(proxy))).toContain("TypeError");
});

it("an error of a script has a stack with the lines of the script", async () => {
  const script = "const x = 1\n\nfunction fail() {\n  throw new RangeError('out')\n}\nfail()";
  const error: unknown = await createScriptRunner()(script).catch((thrown: unknown) => thrown);
  const lines = toValueTree(error).text.split("\n");
  expect(lines[0]).toBe("RangeError: out");
  expect(lines[1]).toMatch(/at fail \(script\.js:4:\d+\)/);
  expect(lines[2]).toMatch(/at script\.js:6:\d+/);
});
