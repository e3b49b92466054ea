import { describe, expect, it } from "vitest";
import { readTyped, typedOf } from "./typed.ts";
import { aclInWords } from "./value.ts";

describe("what is typed into a cell", () => {
  it.each([
    ["Number", "-1.5", -1.5],
    ["Boolean", "false", false],
    ["String", " as it is ", " as it is "],
    ["Date", "2026-01-02T03:04:05.678Z", { __type: "Date", iso: "2026-01-02T03:04:05.678Z" }],
    ["GeoPoint", "47.37, 8.54", { __type: "GeoPoint", latitude: 47.37, longitude: 8.54 }],
    ["Array", "[1,\n2]", [1, 2]],
    ["ACL", '{"*":{"read":true}}', { "*": { read: true } }],
  ] as const)("%s is read, and typed again is the same", (type, text, value) => {
    expect(readTyped(text, { type })).toEqual({ value });
    expect(readTyped(typedOf(JSON.parse(JSON.stringify(value)), { type }), { type })).toEqual({ value });
  });

  it("points to the class of its field", () => {
    expect(readTyped("abc", { type: "Pointer", targetClass: "Game" })).toEqual({
      value: { __type: "Pointer", className: "Game", objectId: "abc" },
    });
  });

  it("takes a value away where nothing is typed, but for texts", () => {
    expect(readTyped(" ", { type: "Number" })).toEqual({ value: null });
    expect(readTyped("", { type: "String" })).toEqual({ value: "" });
  });

  it.each([
    ["Number", "ten"],
    ["Number", "Infinity"],
    ["Boolean", "yes"],
    ["Date", "soon"],
    ["GeoPoint", "91, 0"],
    ["GeoPoint", "1"],
    ["GeoPoint", ","],
    ["Pointer", "a/b"],
    ["Array", "{}"],
    ["Object", "[]"],
    ["Object", "{"],
    ["ACL", '{"*":{"read":"yes"}}'],
  ] as const)("%s is told what is wrong with %s", (type, text) => {
    expect(readTyped(text, { type })).toMatchObject({ problem: expect.any(String) });
  });
});

describe("an ACL in words", () => {
  it("says who may do what", () => {
    expect(aclInWords(undefined)).toBe("anyone reads and writes");
    expect(aclInWords({})).toBe("the master key alone");
    expect(aclInWords({ "*": { read: true }, "role:staff": { read: true, write: true } })).toBe(
      "anyone reads · role:staff reads and writes",
    );
  });
});
