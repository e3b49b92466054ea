import { describe, expect, it } from "vitest";
import { classWith, user } from "../../../test/permissionFactories.ts";
import { ANONYMOUS, MASTER, READ_ONLY_MASTER } from "../../core/authContext.ts";
import { authorizeOperation, evaluateClassPermissions, isAllowed, mayAddFields } from "./classPermissions.ts";

const ann = user("ann", "staff");

describe("evaluateClassPermissions", () => {
  it("allows everything with the master key", () => {
    const unrestricted = { objects: "all", grantedBy: undefined };
    expect(evaluateClassPermissions(classWith({ find: {} }), "find", MASTER)).toEqual(unrestricted);
    expect(evaluateClassPermissions(classWith({ find: {} }), "find", READ_ONLY_MASTER)).toEqual(unrestricted);
  });

  it("allows operations that are not restricted, also on classes that do not exist", () => {
    const unrestricted = { objects: "all", grantedBy: undefined };
    expect(evaluateClassPermissions(undefined, "find", ANONYMOUS)).toEqual(unrestricted);
    expect(evaluateClassPermissions(classWith({ get: {} }), "find", ANONYMOUS)).toEqual(unrestricted);
  });

  it("denies operations without any entry", () => {
    expect(evaluateClassPermissions(classWith({ find: {} }), "find", ann)).toEqual({ objects: "none" });
  });

  it.each([
    ["everyone", { "*": true }, "*"],
    ["the user", { ann: true }, "ann"],
    ["a role of the user", { "role:staff": true }, "role:staff"],
    ["signed-in users", { requiresAuthentication: true }, "requiresAuthentication"],
    ["everyone, before the user", { ann: true, "*": true }, "*"],
  ])(
    "allows an operation that is open to %s, and returns the entry that grants it",
    (_name, permission, grantedBy) => {
      expect(evaluateClassPermissions(classWith({ find: permission }), "find", ann)).toEqual({
        objects: "all",
        grantedBy,
      });
    },
  );

  it.each([
    ["another user", { bob: true }],
    ["another role", { "role:admins": true }],
    ["nobody, as its entry is false", { "*": false }],
    ["nobody, as authentication is false", { requiresAuthentication: false }],
  ])("denies an operation that is open to %s", (_name, permission) => {
    expect(evaluateClassPermissions(classWith({ find: permission }), "find", ann)).toEqual({
      objects: "none",
    });
  });

  it("allows anonymous clients only what is open to everyone", () => {
    expect(isAllowed(classWith({ find: { "*": true } }), "find", ANONYMOUS)).toBe(true);
    expect(isAllowed(classWith({ find: { ann: true } }), "find", ANONYMOUS)).toBe(false);
    expect(isAllowed(classWith({ find: { requiresAuthentication: true } }), "find", ANONYMOUS)).toBe(false);
  });

  it("limits an operation to objects that point to the user", () => {
    const schema = classWith({ find: { pointerFields: ["owner"] } });
    expect(evaluateClassPermissions(schema, "find", ann)).toEqual({
      objects: "pointing",
      fields: ["owner"],
      userId: "ann",
    });
    expect(evaluateClassPermissions(schema, "find", ANONYMOUS)).toMatchObject({ userId: undefined });
  });

  it("unites the fields of an operation with those of all reads or all writes", () => {
    const schema = classWith({
      find: { pointerFields: ["owner"] },
      count: {},
      get: {},
      update: { pointerFields: ["owner"] },
      delete: {},
      addField: {},
      readUserFields: ["readers", "owner"],
      writeUserFields: ["editors"],
    });
    const fieldsOf = (operation: "find" | "count" | "get" | "update" | "delete" | "addField") => {
      const access = evaluateClassPermissions(schema, operation, ann);
      return access.objects === "pointing" ? access.fields : access.objects;
    };
    expect(fieldsOf("find")).toEqual(["owner", "readers"]);
    expect(fieldsOf("count")).toEqual(["readers", "owner"]);
    expect(fieldsOf("get")).toEqual(["readers", "owner"]);
    expect(fieldsOf("update")).toEqual(["owner", "editors"]);
    expect(fieldsOf("delete")).toEqual(["editors"]);
    expect(fieldsOf("addField")).toEqual(["editors"]);
  });

  it("ignores pointer fields for clients that another entry allows everything", () => {
    const schema = classWith({ find: { ann: true, pointerFields: ["owner"] } });
    expect(evaluateClassPermissions(schema, "find", ann)).toMatchObject({ objects: "all" });
    expect(evaluateClassPermissions(schema, "find", user("bob"))).toMatchObject({ objects: "pointing" });
  });

  it("denies anonymous clients if both authentication and a pointer are required", () => {
    const schema = classWith({ find: { requiresAuthentication: true, pointerFields: ["owner"] } });
    expect(evaluateClassPermissions(schema, "find", ANONYMOUS)).toEqual({ objects: "none" });
    expect(evaluateClassPermissions(schema, "find", ann)).toMatchObject({ objects: "pointing" });
  });

  it("ignores pointer fields of create, since a new object points to nobody", () => {
    const schema = classWith({ create: { pointerFields: ["owner"] }, writeUserFields: ["owner"] });
    expect(evaluateClassPermissions(schema, "create", ann)).toEqual({ objects: "none" });
  });

  it("ignores an empty list of pointer fields", () => {
    expect(evaluateClassPermissions(classWith({ find: { pointerFields: [] } }), "find", ann)).toEqual({
      objects: "none",
    });
  });

  it("ignores pointer fields that are not a list", () => {
    expect(evaluateClassPermissions(classWith({ find: { pointerFields: true } }), "find", user("x"))).toEqual(
      {
        objects: "none",
      },
    );
  });
});

describe("authorizeOperation", () => {
  it("throws 119 with the operation and the class if an operation is denied", () => {
    expect(() => authorizeOperation(classWith({ find: {} }), "find", ann)).toThrow(
      expect.objectContaining({ code: 119, message: "Permission denied for action find on class Note." }),
    );
  });

  it("throws 101 to anonymous clients if authentication is missing", () => {
    const schema = classWith({ find: { requiresAuthentication: true } });
    expect(() => authorizeOperation(schema, "find", ANONYMOUS)).toThrow(
      expect.objectContaining({
        code: 101,
        message: "Permission denied, user needs to be authenticated.",
      }),
    );
  });

  it("throws 119 to anonymous clients if more than authentication is missing", () => {
    expect(() => authorizeOperation(classWith({ find: { ann: true } }), "find", ANONYMOUS)).toThrow(
      expect.objectContaining({ code: 119 }),
    );
  });

  it("passes operations that are allowed on all or on some objects", () => {
    expect(() => authorizeOperation(undefined, "create", ANONYMOUS)).not.toThrow();
    expect(() =>
      authorizeOperation(classWith({ find: { pointerFields: ["owner"] } }), "find", ANONYMOUS),
    ).not.toThrow();
  });
});

describe("mayAddFields", () => {
  it("is true with the master key", () => {
    expect(mayAddFields(classWith({ addField: {} }), MASTER, false)).toBe(true);
    expect(mayAddFields(classWith({}), MASTER, false)).toBe(true);
  });

  it("follows the default for classes that do not mention addField", () => {
    expect(mayAddFields(classWith({}), ann, true)).toBe(true);
    expect(mayAddFields(classWith({}), ann, false)).toBe(false);
  });

  it("follows the permissions of the class regardless of the default", () => {
    expect(mayAddFields(classWith({ addField: { ann: true } }), ann, false)).toBe(true);
    expect(mayAddFields(classWith({ addField: {} }), ann, true)).toBe(false);
  });
});
