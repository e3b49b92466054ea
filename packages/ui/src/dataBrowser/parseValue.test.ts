import { describe, expect, it } from "vitest";
import { describeAcl } from "./formatValue.ts";
import { editableText, parseValue } from "./parseValue.ts";

describe("parseValue()", () => {
  it.each([
    ["Number", "-1.5", -1.5],
    ["Boolean", "false", false],
    ["String", " as it is ", " as it is "],
    ["Date", "2026-01-02T03:04:05.678Z", { __type: "Date", iso: "2026-01-02T03:04:05.678Z" }],
    ["GeoPoint", "47.37, 8.54", { __type: "GeoPoint", latitude: 47.37, longitude: 8.54 }],
    ["Array", "[1,\n2]", [1, 2]],
    ["ACL", '{"*":{"read":true}}', { "*": { read: true } }],
  ] as const)("parses a %s, and the same value from its editable text", (type, text, value) => {
    expect(parseValue(text, { type })).toEqual({ value });
    expect(parseValue(editableText(JSON.parse(JSON.stringify(value)), { type }), { type })).toEqual({
      value,
    });
  });

  it.each([
    ["2026-01-31T10:00Z", "2026-01-31T10:00Z"],
    ["2026-01-31T10:00+02:00", "2026-01-31T08:00Z"],
    ["2026-01-31 10:00:00-0200", "2026-01-31T12:00Z"],
    // Without a zone, local times.
    ["2026-01-31T10:00", "2026-01-31T10:00"],
    ["2026-01-31 10:00", "2026-01-31T10:00"],
    ["2026-01-31", "2026-01-31T00:00"],
  ])("reads the date %s", (text, time) => {
    const iso = new Date(time).toISOString();
    expect(parseValue(text, { type: "Date" })).toEqual({ value: { __type: "Date", iso } });
  });

  it("returns a pointer to the target class of the field", () => {
    expect(parseValue("abc", { type: "Pointer", targetClass: "Game" })).toEqual({
      value: { __type: "Pointer", className: "Game", objectId: "abc" },
    });
  });

  it("returns a pointer to the class that is entered with the ID, if the field has no target class", () => {
    const value = { __type: "Pointer", className: "Game", objectId: "abc" };
    expect(parseValue("Game:abc", { type: "Pointer" })).toEqual({ value });
    expect(parseValue("Game:abc", { type: "Pointer", targetClass: "Game" })).toEqual({ value });
    expect(editableText(value, { type: "Pointer" })).toBe("Game:abc");
    expect(parseValue("abc", { type: "Pointer" })).toHaveProperty("problem");
    expect(parseValue("Game:", { type: "Pointer", targetClass: "Game" })).toHaveProperty("problem");
  });

  it("returns null for empty text, except for strings", () => {
    expect(parseValue(" ", { type: "Number" })).toEqual({ value: null });
    expect(parseValue("", { type: "String" })).toEqual({ value: "" });
  });

  it.each([
    ["Number", "ten"],
    ["Number", "Infinity"],
    ["Boolean", "yes"],
    ["Date", "soon"],
    ["Date", "12"],
    ["Date", "2026-02-30"],
    ["Date", "2026-02-30T10:00"],
    ["Date", "02/03/2026"],
    ["GeoPoint", "91, 0"],
    ["GeoPoint", "1"],
    ["GeoPoint", ","],
    ["Pointer", "a/b"],
    ["Array", "{}"],
    ["Object", "[]"],
    ["Object", "{"],
    ["ACL", '{"*":{"read":"yes"}}'],
  ] as const)("returns the problem of a %s in %s", (type, text) => {
    expect(parseValue(text, { type })).toMatchObject({ problem: expect.any(String) });
  });
});

describe("describeAcl()", () => {
  it("describes the permissions of everyone, roles and the master key", () => {
    expect(describeAcl(undefined)).toBe("Public read and write");
    expect(describeAcl({})).toBe("Master key only");
    expect(describeAcl({ "*": { read: true }, "role:staff": { read: true, write: true } })).toBe(
      "Public: read · role:staff: read, write",
    );
  });
});
