import { describe, expect, it } from "vitest";
import { carriedOut, changesIn, NO_CHANGES, withChange, withoutChange } from "./draft.ts";
import { effectOf, impliedBy, isGranted, isPossible, named, withGrant } from "./permissions.ts";

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
    expect(named(permissions)).toEqual(["*", "requiresAuthentication", "field:owner", "field:team"]);
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
    const above = (role: string) => (role === "Editors" ? ["Writers", "Readers"] : []);
    const permissions = {
      ...closed,
      get: { "*": true },
      find: { requiresAuthentication: true },
      count: { requiresAuthentication: true, pointerFields: ["owner"] },
      update: { "role:Readers": true },
    };
    expect(impliedBy(permissions, "get", "requiresAuthentication", above)).toBe("*");
    expect(impliedBy(permissions, "find", "abc", above)).toBe("requiresAuthentication");
    expect(impliedBy(permissions, "count", "abc", above)).toBeUndefined();
    expect(impliedBy(permissions, "update", "role:Editors", above)).toBe("role:Readers");
    expect(impliedBy(permissions, "update", "role:Readers", above)).toBeUndefined();
  });
});

describe("a draft of permissions", () => {
  it("goes over what others have changed meanwhile", () => {
    const draft = withChange(NO_CHANGES, {
      kind: "grant",
      operation: "find",
      who: "role:Two Words",
      to: true,
    });
    const changed = { ...closed, get: { "*": true } };
    expect(changesIn(changed, draft)).toHaveLength(1);
    expect(carriedOut(changed, draft)).toEqual({ ...changed, find: { "role:Two Words": true } });
    expect(changesIn(carriedOut(changed, draft), draft)).toEqual([]);
  });

  it("hides and shows fields, and adds and removes whom they are hidden from", () => {
    const permissions = { ...closed, protectedFields: { "*": ["mail", "phone"], "role:A": [] } };
    let draft = withChange(NO_CHANGES, { kind: "hidden", field: "mail", who: "*", to: false });
    draft = withChange(draft, { kind: "entry", who: "userField:owner", to: true });
    draft = withChange(draft, { kind: "hidden", field: "phone", who: "userField:owner", to: true });
    draft = withChange(draft, { kind: "entry", who: "role:A", to: false });
    expect(carriedOut(permissions, draft).protectedFields).toEqual({
      "*": ["phone"],
      "userField:owner": ["phone"],
    });
    draft = withoutChange(draft, { kind: "entry", who: "userField:owner", to: true });
    expect(carriedOut(permissions, draft).protectedFields).toEqual({ "*": ["phone"] });
  });
});
