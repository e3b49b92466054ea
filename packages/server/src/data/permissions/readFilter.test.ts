import { parseWhere } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { compileReadFilter } from "./readFilter.ts";

describe("compileReadFilter", () => {
  const condition = parseWhere({ title: { $regex: "^a" } });
  const acl = { ann: { read: true }, bob: { write: true } };

  it("passes objects whose ACL names a subject as a reader", () => {
    const isReadable = compileReadFilter({ subjects: ["ann", "bob"], condition: undefined });
    expect(isReadable({})).toBe(true);
    expect(isReadable({ ACL: acl })).toBe(true);
    expect(isReadable({ ACL: { bob: { write: true } } })).toBe(false);
  });

  it("passes objects only if they match the condition, too", () => {
    const isReadable = compileReadFilter({ subjects: ["ann"], condition });
    expect(isReadable({ ACL: acl, title: "ab" })).toBe(true);
    expect(isReadable({ ACL: acl, title: "b" })).toBe(false);
    expect(isReadable({ ACL: {}, title: "ab" })).toBe(false);
  });

  it("applies the condition if ACLs are bypassed", () => {
    const isReadable = compileReadFilter({ subjects: null, condition });
    expect(isReadable({ ACL: {}, title: "a" })).toBe(true);
    expect(isReadable({ ACL: {}, title: "b" })).toBe(false);
  });
});
