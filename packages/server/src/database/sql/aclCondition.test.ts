import { describe, expect, it } from "vitest";
import { sqliteDialect } from "../sqlite/dialect.ts";
import { aclGrants, compileReadAccess } from "./aclCondition.ts";
import type { SqlParameter } from "./dialect.ts";

describe("aclGrants", () => {
  it("is null for permissions that everyone has", () => {
    expect(aclGrants(undefined)).toEqual({ read: null, write: null });
    expect(aclGrants({ "*": { read: true }, ann: { write: true } })).toEqual({ read: null, write: ["ann"] });
  });

  it("lists the subjects with each permission", () => {
    const acl = { ann: { read: true, write: true }, "role:staff": { read: true }, bob: { read: false } };
    expect(aclGrants(acl)).toEqual({ read: ["ann", "role:staff"], write: ["ann"] });
    expect(aclGrants({})).toEqual({ read: [], write: [] });
  });

  it("throws 123 for an invalid ACL", () => {
    expect(() => aclGrants(null)).toThrow(expect.objectContaining({ code: 123 }));
  });
});

describe("compileReadAccess", () => {
  /** The SQL for some subjects, with the number of its parameters. */
  function compile(subjects: readonly string[] | null): { sql: string; parameters: SqlParameter[] } {
    const parameters: SqlParameter[] = [];
    const fragment = compileReadAccess(subjects, parameters, sqliteDialect);
    return { sql: fragment.sql(), parameters };
  }

  it("adds nothing if ACLs are bypassed", () => {
    expect(compile(null)).toEqual({ sql: "", parameters: [] });
  });

  it("tests up to three subjects one by one, more as a list", () => {
    expect(compile([])).toEqual({ sql: " AND (read_acl IS NULL)", parameters: [] });
    expect(compile(["a", "b", "c"])).toEqual({
      sql: " AND (read_acl IS NULL OR instr(read_acl, ?) > 0 OR instr(read_acl, ?) > 0 OR instr(read_acl, ?) > 0)",
      parameters: ["|a|", "|b|", "|c|"],
    });
    expect(compile(["a", "b", "c", "d"]).parameters).toEqual([
      '["|a|","|b|","|c|","|d|"]',
      '["|a|","|b|","|c|","|d|"]',
    ]);
  });

  it("has the same shape for the same number of subjects only", () => {
    const shapeOf = (subjects: readonly string[] | null) =>
      compileReadAccess(subjects, [], sqliteDialect).shape;
    expect(shapeOf(["a"])).toBe(shapeOf(["b"]));
    expect(
      new Set([null, [], ["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]].map(shapeOf)).size,
    ).toBe(6);
    expect(shapeOf(["a", "b", "c", "d"])).toBe(shapeOf(["a", "b", "c", "d", "e"]));
  });
});
