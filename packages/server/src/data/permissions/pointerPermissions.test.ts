import { describe, expect, it } from "vitest";
import { classWith, user, userPointer } from "../../../test/permissionFactories.ts";
import { ANONYMOUS, MASTER } from "../../core/authContext.ts";
import { evaluatePointers, MATCH_NOTHING, pointerCondition, requiredPointers } from "./pointerPermissions.ts";

const ann = user("ann");
const schema = classWith({
  find: { pointerFields: ["owner", "editors"] },
  get: { "*": true },
  update: { pointerFields: ["owner"] },
  delete: {},
});

describe("requiredPointers", () => {
  it("are the fields of which one must point to the user", () => {
    expect(requiredPointers(schema, "update", ann)).toEqual({ fields: ["owner"], userId: "ann" });
  });

  it("are undefined if the operation does not depend on the object", () => {
    expect(requiredPointers(schema, "get", ann)).toBeUndefined();
    expect(requiredPointers(schema, "update", MASTER)).toBeUndefined();
  });

  it("are pointers that no object has if the operation is denied, or the client is anonymous", () => {
    const none = { fields: [], userId: "" };
    expect(requiredPointers(schema, "delete", ann)).toEqual(none);
    expect(requiredPointers(schema, "update", ANONYMOUS)).toEqual(none);
  });
});

describe("evaluatePointers", () => {
  it.each([
    ["a field points to the user", { owner: userPointer("ann") }, true],
    ["an item of an array points to the user", { editors: [userPointer("bob"), userPointer("ann")] }, true],
    ["fields point to other users", { owner: userPointer("bob"), editors: [userPointer("bob")] }, false],
    ["another field points to the user", { reader: userPointer("ann") }, false],
    [
      "a field points to an object of another class",
      { owner: { ...userPointer("ann"), className: "A" } },
      false,
    ],
    ["a field has the keys of a pointer only", { owner: { className: "_User", objectId: "ann" } }, false],
    ["a field is the id of the user", { owner: "ann", editors: ["ann"] }, false],
    ["an array in an array points to the user", { editors: [[userPointer("ann")]] }, false],
    ["the fields are missing", {}, false],
  ])("returns the right result if %s", (_name, object, expected) => {
    expect(evaluatePointers(schema, "find", ann, object)).toBe(expected);
  });

  it("allows every object if the operation does not depend on it", () => {
    expect(evaluatePointers(schema, "get", ANONYMOUS, {})).toBe(true);
    expect(evaluatePointers(schema, "delete", MASTER, {})).toBe(true);
  });

  it("allows no object to anonymous clients and for denied operations", () => {
    expect(evaluatePointers(schema, "find", ANONYMOUS, { owner: userPointer("ann") })).toBe(false);
    expect(evaluatePointers(schema, "delete", ann, { owner: userPointer("ann") })).toBe(false);
  });
});

describe("pointerCondition", () => {
  it("matches objects of which one field points to the user", () => {
    const operand = { type: "pointer", value: userPointer("ann") };
    expect(pointerCondition(schema, "find", ann)).toEqual({
      kind: "or",
      conditions: [
        { kind: "eq", path: ["owner"], operand },
        { kind: "eq", path: ["editors"], operand },
      ],
    });
  });

  it("is undefined if all objects may be read", () => {
    expect(pointerCondition(schema, "get", ANONYMOUS)).toBeUndefined();
    expect(pointerCondition(schema, "find", MASTER)).toBeUndefined();
  });

  it("matches nothing for anonymous clients and for denied operations", () => {
    expect(MATCH_NOTHING).toEqual({ kind: "or", conditions: [] });
    expect(pointerCondition(schema, "find", ANONYMOUS)).toBe(MATCH_NOTHING);
    expect(pointerCondition(classWith({ count: {} }), "count", ann)).toBe(MATCH_NOTHING);
  });
});
