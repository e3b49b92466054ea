import { describe, expect, it } from "vitest";
import { parseCustomId } from "./customObjectId.ts";
import { newObjectId } from "./objectId.ts";

describe("parseCustomId()", () => {
  it("makes an id of ten letters and digits if the client sends none", () => {
    expect(parseCustomId("Note", undefined)).toMatch(/^[A-Za-z0-9]{10}$/);
  });

  it.each(["a", "note-1", "0x00ff", "a@b.c", "x".repeat(128)])("accepts %j", (id) => {
    expect(parseCustomId("Note", id)).toBe(id);
  });

  it.each([null, "", 5, {}])("throws 104 for %j", (id) => {
    expect(() => parseCustomId("Note", id)).toThrow(
      expect.objectContaining({ code: 104, message: "objectId must not be empty, null or undefined" }),
    );
  });

  it.each(["a b", "a/b", "x".repeat(129), "ä", "a\n"])("throws 104 for %j", (id) => {
    expect(() => parseCustomId("Note", id)).toThrow(expect.objectContaining({ code: 104 }));
  });

  it("throws 119 for a user whose id would read as a role in ACLs", () => {
    expect(() => parseCustomId("_User", "role:admin")).toThrow(
      expect.objectContaining({ code: 119, message: "Invalid object ID." }),
    );
  });
});

describe("newObjectId()", () => {
  it("makes ids of the length that is asked for, also beyond one pool of random bytes", () => {
    expect(newObjectId(5_000)).toMatch(/^[A-Za-z0-9]{5000}$/);
  });

  it("makes another id each time", () => {
    expect(new Set(Array.from({ length: 1_000 }, () => newObjectId())).size).toBe(1_000);
  });
});
