import { parseOrder, parseWhere } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { classWith, user, userPointer } from "../../../test/permissionFactories.ts";
import { ANONYMOUS, type AuthContext, MASTER } from "../../core/authContext.ts";
import {
  evaluateProtectedFields,
  evaluateQueryProtection,
  findHiddenField,
  hasProtectedFields,
  type ProtectedFields,
} from "./protectedFields.ts";

const ann = user("ann", "staff");

/** The hidden fields of an object, by the rules of its class. */
function hidden(
  protectedFields: Record<string, string[]>,
  auth: AuthContext,
  object = {},
): readonly string[] {
  return evaluateProtectedFields(classWith({ protectedFields }), undefined, auth, object);
}

describe("restricted fields", () => {
  const fields = ["email", "emailVerified"];
  const closed = { fields, isOpenedByAnyRule: false };
  const open = { fields, isOpenedByAnyRule: true };
  type Rules = Record<string, string[]>;
  const hiddenOf = (rules: Rules, auth: AuthContext, restricted = closed, object = {}) =>
    evaluateProtectedFields(
      classWith({ protectedFields: rules }),
      undefined,
      auth,
      object,
      restricted,
    ).toSorted();
  const unqueryable = (rules: Rules, auth: AuthContext, restricted = closed) =>
    evaluateQueryProtection(classWith({ protectedFields: rules }), undefined, auth, restricted).toSorted();

  it("are hidden without rules, except with the master key", () => {
    for (const auth of [ANONYMOUS, ann]) {
      expect(hiddenOf({}, auth)).toEqual(fields);
      expect(unqueryable({}, auth)).toEqual(fields);
    }
    expect(hiddenOf({}, MASTER)).toEqual([]);
    expect(unqueryable({}, MASTER)).toEqual([]);
    expect(hasProtectedFields(classWith({}), undefined, closed)).toBe(true);
  });

  it("are visible by rules that omit them, if a rule names one of them", () => {
    for (const subject of ["role:staff", "ann", "authenticated"]) {
      const rules = { "*": ["email", "ssn"], [subject]: [] };
      expect(hiddenOf(rules, ann)).toEqual([]);
      expect(unqueryable(rules, ann)).toEqual([]);
      expect(hiddenOf(rules, ANONYMOUS)).toEqual([...fields, "ssn"]);
      expect(unqueryable(rules, ANONYMOUS)).toEqual([...fields, "ssn"]);
    }
    expect(hiddenOf({ "*": ["email"], "role:staff": ["email"] }, ann)).toEqual(["email"]);
  });

  it("stay hidden if rules name only other fields, unless any rule may show them", () => {
    const rules = { "*": ["ssn"], "role:staff": [] };
    expect(hiddenOf(rules, ann)).toEqual(fields);
    expect(unqueryable(rules, ann)).toEqual(fields);
    expect(hiddenOf(rules, ann, open)).toEqual([]);
    expect(unqueryable(rules, ann, open)).toEqual([]);
    expect(hiddenOf(rules, ANONYMOUS, open)).toEqual([...fields, "ssn"]);
  });

  it("are visible in objects that point to the user, but not usable in queries", () => {
    const rules = { "*": ["email"], "userField:boss": [] };
    expect(hiddenOf(rules, ann, closed, { boss: userPointer("ann") })).toEqual([]);
    expect(hiddenOf(rules, ann, closed, { boss: userPointer("bob") })).toEqual(fields);
    expect(unqueryable(rules, ann)).toEqual(fields);
    expect(unqueryable({ "userField:boss": ["ssn"] }, ann)).toEqual([...fields, "ssn"]);
  });
});

describe("evaluateProtectedFields", () => {
  it("hides nothing without rules, or with the master key", () => {
    expect(evaluateProtectedFields(classWith({}), undefined, ANONYMOUS, {})).toEqual([]);
    expect(hidden({ "*": ["email"] }, MASTER)).toEqual([]);
  });

  it("hides what the rule for everyone lists", () => {
    expect(hidden({ "*": ["email"] }, ANONYMOUS)).toEqual(["email"]);
    expect(hidden({ "*": ["email"] }, ann)).toEqual(["email"]);
  });

  it("hides what a rule for the user, a role or signed-in users lists", () => {
    const rules = { ann: ["a"], "role:admins": ["b"], authenticated: ["c"] };
    expect(hidden(rules, user("bob", "admins"))).toEqual([]);
    expect(hidden({ ann: ["a"] }, ann)).toEqual(["a"]);
    expect(hidden({ "role:staff": ["b"] }, ann)).toEqual(["b"]);
    expect(hidden({ authenticated: ["c"] }, ann)).toEqual(["c"]);
    expect(hidden({ authenticated: ["c"] }, ANONYMOUS)).toEqual([]);
  });

  it("hides only fields that all matching rules list", () => {
    expect(hidden({ "*": ["email", "phone"], "role:staff": ["phone"] }, ann)).toEqual(["phone"]);
    expect(hidden({ "*": ["email", "phone"], "role:staff": [] }, ann)).toEqual([]);
    expect(hidden({ "*": ["email", "phone"], "role:staff": ["phone"] }, user("bob"))).toEqual([
      "email",
      "phone",
    ]);
  });

  it("applies rules of pointer fields to objects that point to the user", () => {
    const rules = { "*": ["email"], "userField:owner": [] };
    expect(hidden(rules, ann, { owner: userPointer("ann") })).toEqual([]);
    expect(hidden(rules, ann, { owner: [userPointer("ann")] })).toEqual([]);
    expect(hidden(rules, ann, { owner: userPointer("bob") })).toEqual(["email"]);
    expect(hidden(rules, ANONYMOUS, { owner: userPointer("ann") })).toEqual(["email"]);
  });

  it("shows users all fields of their own user object", () => {
    const schema = classWith({ protectedFields: { "*": ["email"] } }, { className: "_User" });
    expect(evaluateProtectedFields(schema, undefined, ann, { objectId: "ann" })).toEqual([]);
    expect(evaluateProtectedFields(schema, undefined, ann, { objectId: "bob" })).toEqual(["email"]);
    expect(evaluateProtectedFields(schema, undefined, ANONYMOUS, {})).toEqual(["email"]);
    expect(hidden({ "*": ["email"] }, ann, { objectId: "ann" })).toEqual(["email"]);
  });

  it("adds the configured rules to those of the class", () => {
    const schema = classWith({ protectedFields: { "*": ["a"], ann: ["a", "b"] } });
    const configured: ProtectedFields = { "*": ["b", "a"], "role:staff": ["b"] };
    expect(evaluateProtectedFields(schema, configured, ANONYMOUS, {})).toEqual(["a", "b"]);
    expect(evaluateProtectedFields(schema, configured, ann, {})).toEqual(["b"]);
    expect(evaluateProtectedFields(classWith({}), configured, ANONYMOUS, {})).toEqual(["b", "a"]);
  });

  it("ignores inherited properties", () => {
    expect(hidden({ "*": ["a"] }, user("constructor"))).toEqual(["a"]);
  });
});

describe("evaluateQueryProtection", () => {
  /** The fields that queries must not use. */
  const unqueryable = (protectedFields: Record<string, string[]>, auth: AuthContext) =>
    evaluateQueryProtection(classWith({ protectedFields }), undefined, auth);

  it("contains the fields that are hidden in all objects", () => {
    expect(unqueryable({ "*": ["a", "b"], authenticated: ["b"] }, ann)).toEqual(["b"]);
    expect(unqueryable({ "*": ["a", "b"], authenticated: ["b"] }, ANONYMOUS)).toEqual(["a", "b"]);
  });

  it("is empty with the master key", () => {
    expect(unqueryable({ "*": ["a"], "userField:owner": ["b"] }, MASTER)).toEqual([]);
  });

  it("contains fields that pointer fields show, since they are hidden in other objects", () => {
    expect(unqueryable({ "*": ["a"], "userField:owner": [] }, ann)).toEqual(["a"]);
  });

  it("contains fields that only pointer fields hide, since they are hidden in some objects", () => {
    const rules = { "userField:owner": ["a"], "userField:editor": ["a", "b"], "role:admins": ["c"] };
    expect(unqueryable(rules, ann)).toEqual(["a", "b"]);
    expect(unqueryable(rules, ANONYMOUS)).toEqual([]);
  });

  it("includes the configured rules", () => {
    expect(evaluateQueryProtection(classWith({}), { "*": ["a"] }, ANONYMOUS)).toEqual(["a"]);
  });
});

describe("findHiddenField", () => {
  const where = (value: unknown) => ({ where: parseWhere(value) });

  it("finds a field that a where filters by, at any depth and by its nested keys", () => {
    expect(findHiddenField(where({ a: 1, b: 2 }), ["b"])).toBe("b");
    expect(findHiddenField(where({ $or: [{ a: 1 }, { $nor: [{ "b.c": 2 }] }] }), ["b"])).toBe("b");
    expect(findHiddenField(where({ a: 1 }), ["b"])).toBeUndefined();
    expect(findHiddenField(where({ a: 1 }), [])).toBeUndefined();
  });

  it("finds a field that a query sorts by", () => {
    const order = parseOrder("b.c");
    expect(findHiddenField({ ...where({}), order }, ["b"])).toBe("b");
    expect(findHiddenField({ ...where({}), order }, ["c"])).toBeUndefined();
  });

  it("ignores $relatedTo, whose key belongs to another class", () => {
    const object = { __type: "Pointer", className: "Folder", objectId: "f" };
    expect(findHiddenField(where({ $relatedTo: { object, key: "b" } }), ["b"])).toBeUndefined();
  });
});

describe("hasProtectedFields", () => {
  it("is true if the class or the configuration has rules", () => {
    expect(hasProtectedFields(classWith({ protectedFields: { "*": [] } }), undefined)).toBe(true);
    expect(hasProtectedFields(classWith({}), { "*": [] })).toBe(true);
    expect(hasProtectedFields(undefined, { "*": [] })).toBe(true);
  });

  it("is false otherwise", () => {
    expect(hasProtectedFields(classWith({ protectedFields: {} }), undefined)).toBe(false);
    expect(hasProtectedFields(classWith({}), undefined)).toBe(false);
    expect(hasProtectedFields(undefined, undefined)).toBe(false);
  });
});
