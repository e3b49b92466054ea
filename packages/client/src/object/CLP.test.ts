import { describe, expect, it } from "vitest";
import { Role } from "../user/Role.ts";
import { User } from "../user/User.ts";
import { CLP } from "./CLP.ts";

function user(id = "u1"): User {
  const made = new User();
  made.id = id;
  return made;
}

const OPERATIONS = ["Get", "Find", "Count", "Create", "Update", "Delete", "AddField"] as const;

describe("CLP", () => {
  it("grants nothing by default", () => {
    const empty = { get: {}, find: {}, count: {}, create: {}, update: {}, delete: {}, addField: {} };
    expect(new CLP().toJSON()).toEqual({ ...empty, protectedFields: {} });
  });

  it.each(OPERATIONS)(
    "grants %s to users, roles, everyone, signed-in users and pointer fields",
    (operation) => {
      const permissions = new CLP();
      const key = operation.charAt(0).toLowerCase() + operation.slice(1);
      permissions[`set${operation}Access`](user(), true);
      permissions[`setRole${operation}Access`]("Editors", true);
      permissions[`setPublic${operation}Access`](true);
      permissions[`set${operation}RequiresAuthentication`](true);
      permissions[`set${operation}PointerFields`](["owner"]);
      expect(permissions.toJSON()[key]).toEqual({
        u1: true,
        "role:Editors": true,
        "*": true,
        requiresAuthentication: true,
        pointerFields: ["owner"],
      });
      expect(permissions[`get${operation}Access`](new Role("Editors"))).toBe(true);
      expect(permissions[`getRole${operation}Access`]("Editors")).toBe(true);
      expect(permissions[`getPublic${operation}Access`]()).toBe(true);
      expect(permissions[`get${operation}RequiresAuthentication`]()).toBe(true);
      expect(permissions[`get${operation}PointerFields`]()).toEqual(["owner"]);
      permissions[`setPublic${operation}Access`](false);
      permissions[`set${operation}PointerFields`]();
      expect(permissions[`getPublic${operation}Access`]()).toBe(false);
      expect(permissions[`get${operation}PointerFields`]()).toBeUndefined();
    },
  );

  it("treats get, find and count as read access, and the other operations as write access", () => {
    const permissions = new CLP(user());
    expect([permissions.getReadAccess(user()), permissions.getWriteAccess("u1")]).toEqual([true, true]);
    permissions.setCountAccess(user(), false);
    permissions.setAddFieldAccess(user(), false);
    expect([permissions.getReadAccess(user()), permissions.getWriteAccess("u1")]).toEqual([false, false]);
    permissions.setPublicReadAccess(true);
    permissions.setRoleWriteAccess("Editors", true);
    expect([permissions.getPublicReadAccess(), permissions.getRoleWriteAccess("Editors")]).toEqual([
      true,
      true,
    ]);
    expect([permissions.getPublicWriteAccess(), permissions.getRoleReadAccess("Editors")]).toEqual([
      false,
      false,
    ]);
  });

  it("protects fields, and grants access to the users of pointer fields", () => {
    const permissions = new CLP();
    permissions.setPublicProtectedFields(["email"]);
    permissions.setRoleProtectedFields("Editors", []);
    permissions.setProtectedFields(user(), ["notes"]);
    permissions.setReadUserFields(["owner"]);
    permissions.setWriteUserFields(["owner", "editor"]);
    expect(permissions.toJSON()).toMatchObject({
      protectedFields: { "*": ["email"], u1: ["notes"] },
      readUserFields: ["owner"],
      writeUserFields: ["owner", "editor"],
    });
    permissions.setReadUserFields();
    expect(permissions.getReadUserFields()).toBeUndefined();
  });

  it("survives a round trip through JSON", () => {
    const permissions = new CLP(user());
    permissions.setFindPointerFields(["owner"]);
    permissions.setPublicProtectedFields(["email"]);
    const back = new CLP(permissions.toJSON());
    expect(back.equals(permissions)).toBe(true);
    back.setPublicGetAccess(true);
    expect(back.equals(permissions)).toBe(false);
    expect(back.equals({})).toBe(false);
  });

  it("rejects invalid permissions and arguments", () => {
    expect(() => new CLP({ look: { "*": true } })).toThrow(
      "Tried to create an CLP with an invalid permission type.",
    );
    expect(() => new CLP({ get: { "*": 1 } })).toThrow(
      "Tried to create an CLP with an invalid permission value.",
    );
    expect(() => new CLP({ readUserFields: [1] })).toThrow(TypeError);
    // @ts-expect-error A function is no map.
    expect(() => new CLP(() => undefined)).toThrow(
      "ParseCLP constructed with a function. Did you forget ()?",
    );
    // @ts-expect-error A text is no boolean.
    expect(() => new CLP().setPublicFindAccess("yes")).toThrow("allowed must be either true or false.");
    // @ts-expect-error A text is no list.
    expect(() => new CLP().setFindPointerFields("owner")).toThrow(
      "fields must be an array of strings or undefined.",
    );
    expect(() => new CLP().setFindAccess(new User(), true)).toThrow(
      "Cannot get access for a Parse.User without an id.",
    );
  });
});
