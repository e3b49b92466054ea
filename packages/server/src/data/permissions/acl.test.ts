import { describe, expect, it } from "vitest";
import { classWith, user } from "../../../test/permissionFactories.ts";
import { ANONYMOUS, MASTER } from "../../core/authContext.ts";
import { defaultAcl, evaluateAcl, grantingSubject } from "./acl.ts";

describe("evaluateAcl", () => {
  const acl = { ann: { read: true }, "role:staff": { write: true }, bob: { read: false } };

  it("grants everything on an object without an ACL", () => {
    expect(evaluateAcl({}, "read", [])).toBe(true);
    expect(evaluateAcl({}, "write", [])).toBe(true);
  });

  it("grants nothing to clients by an empty ACL", () => {
    expect(evaluateAcl({ ACL: {} }, "read", ["ann"])).toBe(false);
  });

  it("grants everything if ACLs are bypassed", () => {
    expect(evaluateAcl({ ACL: {} }, "write", null)).toBe(true);
  });

  it("grants each permission separately", () => {
    expect(evaluateAcl({ ACL: acl }, "read", ["ann"])).toBe(true);
    expect(evaluateAcl({ ACL: acl }, "write", ["ann"])).toBe(false);
    expect(evaluateAcl({ ACL: acl }, "read", ["role:staff"])).toBe(false);
    expect(evaluateAcl({ ACL: acl }, "write", ["cleo", "role:staff"])).toBe(true);
  });

  it("does not grant what an entry sets to false", () => {
    expect(evaluateAcl({ ACL: acl }, "read", ["bob"])).toBe(false);
  });

  it("grants to everyone by the entry *", () => {
    expect(evaluateAcl({ ACL: { "*": { read: true } } }, "read", [])).toBe(true);
    expect(evaluateAcl({ ACL: { "*": { read: true } } }, "write", ["ann"])).toBe(false);
  });

  it.each([
    ["a list", []],
    ["null", null],
    ["text", "*"],
    ["an entry that is not an object", { "*": true }],
    ["a permission that is not a boolean", { "*": { read: "true" } }],
  ])("grants nothing by an invalid ACL: %s", (_name, invalid) => {
    expect(evaluateAcl({ ACL: invalid }, "read", ["ann"])).toBe(false);
  });

  it("ignores inherited properties", () => {
    expect(evaluateAcl({ ACL: {} }, "read", ["constructor", "__proto__"])).toBe(false);
  });
});

describe("grantingSubject", () => {
  it("returns the subject of the client that the ACL names", () => {
    const acl = { ann: { read: true }, "role:staff": { read: true } };
    expect(grantingSubject(acl, "read", ["ann", "role:staff"])).toBe("ann");
    expect(grantingSubject(acl, "read", ["bob", "role:staff"])).toBe("role:staff");
    expect(grantingSubject(acl, "read", ["bob"])).toBeUndefined();
  });

  it("returns * if everyone has the permission, also if the ACL names the client", () => {
    expect(grantingSubject({ ann: { read: true }, "*": { read: true } }, "read", ["ann"])).toBe("*");
  });
});

describe("defaultAcl", () => {
  const closed = { "role:staff": { read: true } };

  it("is the ACL of the class, before the configured one", () => {
    expect(defaultAcl(classWith({ ACL: closed }), { "*": { read: true } }, ANONYMOUS, "open")).toEqual(
      closed,
    );
  });

  it("is the configured ACL for classes without one", () => {
    expect(defaultAcl(classWith({}), closed, ANONYMOUS, "open")).toEqual(closed);
  });

  it("is undefined if neither the class nor the configuration has one", () => {
    expect(defaultAcl(classWith({}), undefined, user("ann"), "open")).toBeUndefined();
  });

  it("is undefined for built-in classes", () => {
    expect(defaultAcl(classWith({}, { className: "_User" }), closed, ANONYMOUS, "open")).toBeUndefined();
  });

  it("replaces currentUser by the user who creates the object", () => {
    const own = { read: true, write: true };
    const schema = classWith({ ACL: { currentUser: own, ...closed } });
    expect(defaultAcl(schema, undefined, user("ann"), "open")).toEqual({ ...closed, ann: own });
    expect(defaultAcl(schema, undefined, ANONYMOUS, "open")).toEqual(closed);
    expect(defaultAcl(schema, undefined, MASTER, "open")).toEqual(closed);
  });

  it("is undefined if it grants everything to everyone", () => {
    const open = { "*": { read: true, write: true } };
    expect(defaultAcl(classWith({ ACL: open }), undefined, ANONYMOUS, "open")).toBeUndefined();
    expect(
      defaultAcl(classWith({ ACL: { "*": { read: true } } }), undefined, ANONYMOUS, "open"),
    ).toBeDefined();
    expect(
      defaultAcl(classWith({ ACL: { "*": { write: true } } }), undefined, ANONYMOUS, "open"),
    ).toBeDefined();
  });

  it("lets objects of clients belong to them in classes with permissions if classes are closed by default", () => {
    const schema = classWith({ create: { "*": true } });
    expect(defaultAcl(schema, undefined, user("ann"), "closed")).toEqual({
      ann: { read: true, write: true },
    });
    expect(defaultAcl(schema, undefined, ANONYMOUS, "closed")).toEqual({});
    expect(defaultAcl(schema, undefined, MASTER, "closed")).toBeUndefined();
    expect(defaultAcl(schema, undefined, user("ann"), "open")).toBeUndefined();
  });

  it("prefers the ACL of the class and the configured one to the client's own", () => {
    const open = { "*": { read: true, write: true } };
    const schema = classWith({ create: { "*": true } });
    expect(defaultAcl(classWith({ ACL: open }), undefined, user("ann"), "closed")).toBeUndefined();
    expect(defaultAcl(schema, closed, user("ann"), "closed")).toEqual(closed);
  });

  it("stays undefined in a class without permissions, which is open", () => {
    expect(defaultAcl(classWith({}), undefined, user("ann"), "closed")).toBeUndefined();
  });
});
