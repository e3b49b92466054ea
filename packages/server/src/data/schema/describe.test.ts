import { describe, expect, it } from "vitest";
import { classWith } from "../../../test/permissionFactories.ts";
import { clientFields, describeClass } from "./describe.ts";

describe("the description of a class", () => {
  it("lists the fields of every object, and those that clients send to a built-in class", () => {
    expect(Object.keys(clientFields("_User", { nick: { type: "String" } }))).toEqual([
      "objectId",
      "createdAt",
      "updatedAt",
      "ACL",
      "password",
      "authData",
      "nick",
    ]);
  });

  it("writes out the permissions of a class that has none", () => {
    expect(describeClass(classWith({})).classLevelPermissions).toMatchObject({
      ACL: { "*": { read: true, write: true } },
      find: { "*": true },
      addField: { "*": true },
      protectedFields: { "*": [] },
    });
    expect(describeClass(classWith({}), { listsOpenAcl: false }).classLevelPermissions).not.toHaveProperty(
      "ACL",
    );
  });

  it("has the permissions of another class as they are", () => {
    expect(describeClass(classWith({ find: {} })).classLevelPermissions).toEqual({ find: {} });
  });

  it("lists indexes, with that of the id, only if there are any", () => {
    expect(describeClass(classWith({}))).not.toHaveProperty("indexes");
    const indexes = { by_title: { title: 1 as const } };
    expect(describeClass(classWith({}, { indexes })).indexes).toEqual({ _id_: { _id: 1 }, ...indexes });
  });
});
