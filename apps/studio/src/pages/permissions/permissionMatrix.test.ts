import { describe, expect, it } from "vitest";
import {
  effectOf,
  inheritedFrom,
  isGranted,
  isPossible,
  namedSubjects,
  withGrant,
} from "./permissionMatrix.ts";
import { applyDraft, NO_CHANGES, pendingChanges, withChange, withoutChange } from "./permissionsDraft.ts";

const closed = {
  get: {},
  find: {},
  count: {},
  create: {},
  update: {},
  delete: {},
  addField: {},
  protectedFields: {},
};

describe("class-level permissions", () => {
  it("grant operations that are not mentioned, and mention all operations after a change", () => {
    expect(isGranted({}, "find", "*")).toBe(true);
    const next = withGrant({}, "find", "*", false);
    expect(next).toMatchObject({ find: {}, get: { "*": true }, delete: { "*": true } });
  });

  it("have users of pointer fields per operation, or for all reads or all writes", () => {
    const permissions = {
      ...closed,
      readUserFields: ["owner"],
      update: { pointerFields: ["owner", "team"] },
    };
    expect(isGranted(permissions, "count", "field:owner")).toBe(true);
    expect(isGranted(permissions, "delete", "field:owner")).toBe(false);
    expect(withGrant(permissions, "find", "field:owner", false)).toMatchObject({
      readUserFields: [],
      get: { pointerFields: ["owner"] },
      find: {},
      count: { pointerFields: ["owner"] },
      update: { pointerFields: ["owner", "team"] },
    });
    expect(namedSubjects(permissions)).toEqual(["*", "requiresAuthentication", "field:owner", "field:team"]);
    expect(isPossible("create", "field:owner")).toBe(false);
  });

  it("combine the entries of an operation", () => {
    const permissions = {
      ...closed,
      get: { "*": true, "role:A": true },
      find: { requiresAuthentication: true },
      update: { requiresAuthentication: true, "role:A": true, abc: true, pointerFields: ["owner"] },
    };
    expect(effectOf(permissions, "get")).toEqual({ kind: "everyone" });
    expect(effectOf(permissions, "find")).toEqual({ kind: "signedIn" });
    expect(effectOf(permissions, "update")).toEqual({
      kind: "some",
      roles: ["A"],
      users: ["abc"],
      fields: ["owner"],
    });
    expect(effectOf(permissions, "delete")).toEqual({ kind: "nobody" });
  });

  it("are inherited from entries for broader subjects", () => {
    const ancestors = (role: string) => (role === "Editors" ? ["Writers", "Readers"] : []);
    const permissions = {
      ...closed,
      get: { "*": true },
      find: { requiresAuthentication: true },
      count: { requiresAuthentication: true, pointerFields: ["owner"] },
      update: { "role:Readers": true },
    };
    expect(inheritedFrom(permissions, "get", "requiresAuthentication", ancestors)).toBe("*");
    expect(inheritedFrom(permissions, "find", "abc", ancestors)).toBe("requiresAuthentication");
    expect(inheritedFrom(permissions, "count", "abc", ancestors)).toBeUndefined();
    expect(inheritedFrom(permissions, "update", "role:Editors", ancestors)).toBe("role:Readers");
    expect(inheritedFrom(permissions, "update", "role:Readers", ancestors)).toBeUndefined();
  });
});

describe("a draft of permissions", () => {
  it("is applied to the latest permissions, including other operators' changes", () => {
    const draft = withChange(NO_CHANGES, {
      kind: "grant",
      operation: "find",
      subject: "role:Two Words",
      to: true,
    });
    const changed = { ...closed, get: { "*": true } };
    expect(pendingChanges(changed, draft)).toHaveLength(1);
    expect(applyDraft(changed, draft)).toEqual({ ...changed, find: { "role:Two Words": true } });
    expect(pendingChanges(applyDraft(changed, draft), draft)).toEqual([]);
  });

  it("protects and exposes fields, and adds and removes subjects", () => {
    const permissions = { ...closed, protectedFields: { "*": ["mail", "phone"], "role:A": [] } };
    let draft = withChange(NO_CHANGES, { kind: "hidden", field: "mail", subject: "*", to: false });
    draft = withChange(draft, { kind: "entry", subject: "userField:owner", to: true });
    draft = withChange(draft, { kind: "hidden", field: "phone", subject: "userField:owner", to: true });
    draft = withChange(draft, { kind: "entry", subject: "role:A", to: false });
    expect(applyDraft(permissions, draft).protectedFields).toEqual({
      "*": ["phone"],
      "userField:owner": ["phone"],
    });
    draft = withoutChange(draft, { kind: "entry", subject: "userField:owner", to: true });
    expect(applyDraft(permissions, draft).protectedFields).toEqual({ "*": ["phone"] });
  });
});
