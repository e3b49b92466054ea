import type { Operand } from "@purse/protocol";
import Database from "better-sqlite3";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { documentPattern } from "./documentPattern.ts";

const database = new Database(":memory:");
const glob = database.prepare<[string, string], number>("SELECT ? GLOB ?").pluck();
const isCandidate = (document: object, operand: Operand, field = "title") =>
  glob.get(JSON.stringify(document), documentPattern(field, operand) ?? "") === 1;

it("documentPattern() matches every document that has the value", () => {
  const texts = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(...'a*?[]"\\é😀\n') }),
  );
  fc.assert(
    fc.property(
      texts,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      (text, number, boolean) => {
        expect(isCandidate({ a: 1, title: text }, { type: "string", value: text })).toBe(true);
        expect(isCandidate({ a: 1, title: number }, { type: "number", value: number })).toBe(true);
        expect(isCandidate({ a: 1, title: boolean }, { type: "boolean", value: boolean })).toBe(true);
        const pointer = { __type: "Pointer" as const, className: "Note", objectId: text };
        expect(isCandidate({ a: 1, title: pointer }, { type: "pointer", value: pointer })).toBe(true);
      },
    ),
    { seed: 1, numRuns: 100 },
  );
});

it("documentPattern() excludes documents with other values", () => {
  expect(isCandidate({ title: "ab" }, { type: "string", value: "a" })).toBe(false);
  expect(isCandidate({ title: false }, { type: "boolean", value: true })).toBe(false);
  expect(isCandidate({ title: 12 }, { type: "number", value: 2 })).toBe(false);
});

it("documentPattern() has no pattern for values that are compared as a whole", () => {
  expect(documentPattern("title", { type: "json", value: {} })).toBeUndefined();
  expect(documentPattern("title", { type: "null" })).toBeUndefined();
});
