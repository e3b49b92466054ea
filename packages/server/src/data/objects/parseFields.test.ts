import type { JsonValue, Operation } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { canonicalValue, checkTriggerFields, parseFields } from "./parseFields.ts";

const SQUARE = [
  [0, 0],
  [0, 1],
  [1, 1],
  [1, 0],
];

/** Parses the fields of a new object. */
const parse = (fields: Record<string, JsonValue>) => parseFields(fields, {});

describe("parseFields()", () => {
  it("reads values as Set, and operations as they are", () => {
    expect(parse({ title: "Tea", votes: { __op: "Increment", amount: 2 } })).toEqual({
      title: { op: "Set", value: "Tea" },
      votes: { op: "Increment", amount: 2 },
    });
  });

  it("accepts a dotted path into a field", () => {
    expect(parse({ "address.city": "Bern" })).toEqual({ "address.city": { op: "Set", value: "Bern" } });
  });

  it.each([
    ["createdAt", "2026-01-02T03:04:05.678Z"],
    ["updatedAt", { __type: "Date", iso: "2026-01-02T03:04:05.678Z" }],
  ])("ignores %s as a client has read it", (name, value) => {
    expect(parse({ [name]: value })).toEqual({});
  });

  it("ignores the id of the object that is updated, and rejects another one with 105", () => {
    expect(parseFields({ objectId: "a1" }, { id: "a1" })).toEqual({});
    expect(() => parseFields({ objectId: "b2" }, { id: "a1" })).toThrow(
      expect.objectContaining({ code: 105, message: "objectId is an invalid field name." }),
    );
  });

  it.each(["createdAt", "updatedAt"])("rejects another value of %s with 105", (name) => {
    expect(() => parse({ [name]: "yesterday" })).toThrow(expect.objectContaining({ code: 105 }));
  });

  it.each(["ACL.*", "createdAt.iso", "objectId.a"])(
    "rejects %s with 105, because the field can only be set as a whole",
    (path) => {
      expect(() => parse({ [path]: true })).toThrow(expect.objectContaining({ code: 105 }));
    },
  );

  it("rejects a path into a derived field with 105", () => {
    expect(() => parseFields({ "authData.github": {} }, { derivedFields: ["authData"] })).toThrow(
      expect.objectContaining({ code: 105 }),
    );
  });

  it.each(["1st", "a-b", "", "a..b", "__proto__"])("rejects the name %j with 105", (name) => {
    expect(() => parse(Object.fromEntries([[name, 1]]))).toThrow(expect.objectContaining({ code: 105 }));
  });

  it("rejects more than the maximum number of fields with 107", () => {
    const fields = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`f${i}`, i]));
    expect(() => parse(fields)).toThrow(expect.objectContaining({ code: 107 }));
  });

  it.each([[null], [{ __op: "Delete" }]])("removes the ACL for %j", (value) => {
    expect(parse({ ACL: value })).toEqual({ ACL: { op: "Delete" } });
  });

  it("rejects an invalid ACL with 123", () => {
    expect(() => parse({ ACL: { "*": { read: "yes" } } })).toThrow(expect.objectContaining({ code: 123 }));
  });

  it("stores dates in one format, so that their text sorts chronologically", () => {
    expect(parse({ due: { __type: "Date", iso: "2026-01-02T03:04:05Z" } })).toEqual({
      due: { op: "Set", value: { __type: "Date", iso: "2026-01-02T03:04:05.000Z" } },
    });
  });
});

describe("canonicalValue()", () => {
  it("closes polygons", () => {
    expect(canonicalValue({ __type: "Polygon", coordinates: SQUARE })).toEqual({
      __type: "Polygon",
      coordinates: [...SQUARE, [0, 0]],
    });
  });

  it("rejects a polygon with two different points with 111", () => {
    const coordinates = [
      [0, 0],
      [0, 1],
      [0, 0],
    ];
    expect(() => canonicalValue({ __type: "Polygon", coordinates })).toThrow(
      expect.objectContaining({ code: 111 }),
    );
  });

  it("returns other values themselves", () => {
    const value = { nested: [1, 2] };
    expect(canonicalValue(value)).toBe(value);
  });
});

describe("checkTriggerFields()", () => {
  const set = (value: JsonValue): Operation => ({ op: "Set", value });

  it("rejects a field that a trigger must not set with 105", () => {
    expect(() => checkTriggerFields({}, { objectId: set("x") }, undefined)).toThrow(
      expect.objectContaining({ code: 105 }),
    );
  });

  it("leaves what the trigger did not touch, although clients must not write it", () => {
    const kept = set("2026");
    const operations = { createdAt: kept };
    checkTriggerFields({ createdAt: kept }, operations, undefined);
    expect(operations.createdAt).toBe(kept);
  });

  it("validates the ACL of a trigger like that of a client", () => {
    const operations: Record<string, Operation> = { ACL: set({ "*": { read: true } }) };
    checkTriggerFields({}, operations, undefined);
    expect(operations.ACL).toEqual(set({ "*": { read: true } }));
    expect(() => checkTriggerFields({}, { ACL: set({ "*": { read: 1 } }) }, undefined)).toThrow(
      expect.objectContaining({ code: 123 }),
    );
  });
});
