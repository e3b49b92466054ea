import { ErrorCode, ParseError } from "@purse/client";
import { expect, it } from "vitest";
import { isFinal, rejectionOf } from "./rejection.ts";

const RULES = { isAllowed: true, maxBytes: 1_000, extensions: null };
const messageOf = (name: string, size: number, rules: Parameters<typeof rejectionOf>[1] = RULES) =>
  rejectionOf({ name, size }, rules)?.message;

it.each([
  ["a.txt", 0, "invalid file upload"],
  ["a.txt", 1_001, "file size exceeds maximum allowed: 1000 bytes"],
  ["a.SVG", 10, "file upload of extension svg is disabled"],
  ["a.html", 10, "file upload of extension html is disabled"],
  ["a.txt", 1_000, undefined],
  ["README", 10, undefined],
])("rejectionOf() %s with %i bytes is %j", (name, size, message) => {
  expect(messageOf(name, size)).toBe(message);
});

it("rejectionOf() knows the extensions that the operator lists, and leaves regular expressions to the server", () => {
  expect(messageOf("a.txt", 1, { ...RULES, extensions: ["jpg"] })).toBe(
    "file upload of extension txt is disabled",
  );
  expect(messageOf("a.JPG", 1, { ...RULES, extensions: ["jpg"] })).toBeUndefined();
  expect(messageOf("a.txt", 1, { ...RULES, extensions: ["jpg", "^t"] })).toBeUndefined();
  expect(messageOf("a.svg", 1, { ...RULES, extensions: ["*"] })).toBeUndefined();
});

it("rejectionOf() refuses everything if users may not upload, and only empty files without rules", () => {
  expect(messageOf("a.txt", 1, { ...RULES, isAllowed: false })).toBe(
    "file upload by authenticated user is disabled",
  );
  expect(rejectionOf({ name: "a.svg", size: 1 }, undefined)).toBeUndefined();
  expect(rejectionOf({ name: "a.txt", size: 0 }, undefined)).toBeDefined();
});

it("isFinal() tells files that the server refuses from failures", () => {
  expect(isFinal(rejectionOf({ name: "a.txt", size: 0 }, RULES))).toBe(true);
  expect(isFinal(new ParseError(ErrorCode.CONNECTION_FAILED, "no connection"))).toBe(false);
  expect(isFinal(undefined)).toBe(false);
});
