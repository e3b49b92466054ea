import type { JsonValue, Operation } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import type { ClassSchema } from "../../database/classSchema.ts";
import { compareFields, missingFields } from "./compareFields.ts";

const NOTE: ClassSchema = {
  className: "Note",
  table: "Note",
  fields: {
    text: { type: "String" },
    options: { type: "Object" },
    tags: { type: "Array" },
    place: { type: "GeoPoint" },
    author: { type: "Pointer", targetClass: "Author" },
  },
  classLevelPermissions: {},
  indexes: {},
};
const WITHOUT_PLACE: ClassSchema = { ...NOTE, fields: { text: { type: "String" } } };

const set = (value: JsonValue): Operation => ({ op: "Set", value });
const POINT = { __type: "GeoPoint", latitude: 1, longitude: 2 };
const pointer = (className: string) => ({ __type: "Pointer", className, objectId: "a" });

describe("missingFields()", () => {
  it("returns the fields that the class lacks, with the types that the operations require", () => {
    const operations: Record<string, Operation> = {
      text: set("hello"),
      done: set(true),
      count: { op: "Increment", amount: 1 },
      labels: { op: "Add", objects: ["a"] },
      "settings.color": set("red"),
    };
    expect(missingFields(NOTE, operations)).toEqual({
      done: { type: "Boolean" },
      count: { type: "Number" },
      labels: { type: "Array" },
      settings: { type: "Object" },
    });
  });

  it("requires no field for deletions, null and the fields of all classes", () => {
    const operations: Record<string, Operation> = {
      gone: { op: "Delete" },
      "gone.too": { op: "Delete" },
      empty: set(null),
      createdAt: set("2026-01-01T00:00:00.000Z"),
    };
    expect(missingFields(NOTE, operations)).toEqual({});
  });

  it("accepts paths into objects and arrays, and pointers to the class of the field", () => {
    const operations = { "options.size": set(1), "tags.0": set("a"), author: set(pointer("Author")) };
    expect(missingFields(NOTE, operations)).toEqual({});
  });

  it.each<[string, Record<string, Operation>, string]>([
    ["a value of another type", { text: set(1) }, "Note.text; expected String but got Number"],
    ["a path into a text", { "text.size": set(1) }, "Note.text; expected String but got Object"],
    ["the deletion of a part of a value", { "place.latitude": { op: "Delete" } }, "Note.place"],
    ["the deletion of the type of a value", { "author.__type": { op: "Delete" } }, "Note.author"],
    ["a pointer to another class", { author: set(pointer("Note")) }, "Note.author"],
    ["a second GeoPoint", { home: set(POINT) }, "only be one geopoint field"],
  ])("throws 111 for %s", (_, operations, message) => {
    expect(() => missingFields(NOTE, operations)).toThrow(
      expect.objectContaining({ code: 111, message: expect.stringContaining(message) }),
    );
  });

  it("throws 111 for two GeoPoints at once, but accepts one", () => {
    expect(missingFields(WITHOUT_PLACE, { home: set(POINT) })).toEqual({ home: { type: "GeoPoint" } });
    const both = { home: set(POINT), work: set(POINT) };
    expect(() => missingFields(WITHOUT_PLACE, both)).toThrow(expect.objectContaining({ code: 111 }));
  });
});

it("compareFields() returns the missing fields beside a mismatch", () => {
  const { missing, mismatch } = compareFields(NOTE, { text: set(1), done: set(true) });
  expect(missing).toEqual({ done: { type: "Boolean" } });
  expect(mismatch).toMatchObject({ code: 111 });
});
