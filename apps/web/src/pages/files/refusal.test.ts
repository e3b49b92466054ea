import { ErrorCode, ParseError } from "@purse/client";
import { expect, it } from "vitest";
import { isFinal, refusalOf } from "./refusal.ts";

const RULES = { isAllowed: true, maxBytes: 1_000, extensions: null };
const messageOf = (name: string, size: number, rules: Parameters<typeof refusalOf>[1] = RULES) =>
  refusalOf({ name, size }, rules)?.message;

it.each([
  ["a.txt", 0, "Invalid file upload."],
  ["a.txt", 1_001, "File size exceeds maximum allowed: 1000 bytes."],
  ["a.SVG", 10, "File upload of extension svg is disabled."],
  ["a.html", 10, "File upload of extension html is disabled."],
  ["a.txt", 1_000, undefined],
  ["README", 10, undefined],
])("refusalOf() %s with %i bytes is %j", (name, size, message) => {
  expect(messageOf(name, size)).toBe(message);
});

it("refusalOf() knows the extensions that the operator lists, and leaves regular expressions to the server", () => {
  expect(messageOf("a.txt", 1, { ...RULES, extensions: ["jpg"] })).toBe(
    "File upload of extension txt is disabled.",
  );
  expect(messageOf("a.JPG", 1, { ...RULES, extensions: ["jpg"] })).toBeUndefined();
  expect(messageOf("a.txt", 1, { ...RULES, extensions: ["jpg", "^t"] })).toBeUndefined();
  expect(messageOf("a.svg", 1, { ...RULES, extensions: ["*"] })).toBeUndefined();
});

it("refusalOf() refuses everything if users may not upload, and only empty files without rules", () => {
  expect(messageOf("a.txt", 1, { ...RULES, isAllowed: false })).toBe(
    "File upload by authenticated user is disabled.",
  );
  expect(refusalOf({ name: "a.svg", size: 1 }, undefined)).toBeUndefined();
  expect(refusalOf({ name: "a.txt", size: 0 }, undefined)).toBeDefined();
});

it("isFinal() tells files that the server refuses from failures", () => {
  expect(isFinal(refusalOf({ name: "a.txt", size: 0 }, RULES))).toBe(true);
  expect(isFinal(new ParseError(ErrorCode.CONNECTION_FAILED, "no connection"))).toBe(false);
  expect(isFinal(undefined)).toBe(false);
});
