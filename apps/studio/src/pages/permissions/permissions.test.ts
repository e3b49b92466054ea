import { describe, expect, it } from "vitest";
import { applyDraft, NO_CHANGES, pendingChanges, withChange, withoutChange } from "./draft.ts";
import { effectOf, inheritedFrom, isGranted, isPossible, namedSubjects, withGrant } from "./permissions.ts";

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

describe("a class's permissions", () => {
  it("are open where nothing is said of an operation, and say all operations once one is changed", () => {
    expect(isGranted({}, "find", "*")).toBe(true);
    const next = withGrant({}, "find", "*", false);
    expect(next).toMatchObject({ find: {}, get: { "*": true }, delete: { "*": true } });
  });

  it("name users by fields of the object, alone or for all reads and writes together", () => {
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

  it("take the entries of an operation together", () => {
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

  it("reach people by other entries than their own", () => {
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
  it("goes over what others have changed meanwhile", () => {
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

  it("hides and shows fields, and adds and removes whom they are hidden from", () => {
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
