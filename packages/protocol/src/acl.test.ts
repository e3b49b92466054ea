import { describe, expect, it } from "vitest";
import { parseAcl, subjectsWith } from "./acl.ts";
import { MAX_ACL_ENTRIES } from "./limits.ts";

describe("parseAcl", () => {
  it("accepts users, roles and everyone", {
    tags: ["3.acl.user-id", "3.acl.role-name", "3.acl.public"],
  }, () => {
    const acl = {
      u1: { read: true, write: true },
      "ada:id@example.org$+=": { read: true },
      "role:team a": { read: true },
      "*": { read: true },
    };
    expect(parseAcl(acl)).toEqual(acl);
  });

  it("accepts a limited number of entries", () => {
    const acl = (entries: number) =>
      Object.fromEntries(Array.from({ length: entries }, (_, n) => [`u${n}`, { read: true }]));
    expect(Object.keys(parseAcl(acl(MAX_ACL_ENTRIES)))).toHaveLength(MAX_ACL_ENTRIES);
    expect(() => parseAcl(acl(MAX_ACL_ENTRIES + 1))).toThrow(
      expect.objectContaining({ code: 123, message: `An ACL takes ${MAX_ACL_ENTRIES} entries at most` }),
    );
  });

  it("drops permissions that are false", () => {
    expect(parseAcl({ u1: { read: false, write: true } })).toEqual({ u1: { write: true } });
  });

  it.each([
    ["a permission that is no boolean", { u1: { read: 1 } }],
    ["a permission that is text", { u1: { write: "true" } }],
    ["a permission that is neither read nor write", { u1: { delete: true } }],
    ["an entry that is no object", { u1: true }],
    ["a list", []],
    ["null", null],
    ["a name with a bar", { "a|b": { read: true } }],
    ["a name with a space", { "a b": { read: true } }],
    ["a name with a slash", { "a/b": { read: true } }],
    ["a role without a name", { "role:": { read: true } }],
    ["the prototype", JSON.parse('{"__proto__":{"read":true}}')],
  ])("rejects %s with 123", { tags: ["3.acl.read-boolean", "3.acl.write-boolean"] }, (_name, value) => {
    expect(() => parseAcl(value)).toThrow(expect.objectContaining({ code: 123 }));
  });
});

describe("subjectsWith()", () => {
  it("returns null if everyone has the permission", () => {
    expect(subjectsWith(undefined, "read")).toBeNull();
    expect(subjectsWith({ "*": { read: true } }, "read")).toBeNull();
  });

  it("returns the subjects with the permission", () => {
    expect(subjectsWith({ u1: { write: true }, u2: { read: true } }, "write")).toEqual(["u1"]);
  });
});
