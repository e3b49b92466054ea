import { describe, expect, it } from "vitest";
import { classWith } from "../../../test/permissionFactories.ts";
import { ACCESS_PRESETS, type AccessPreset } from "../../config/accessPresets.ts";
import { classesOpenToStrangers, strangerAccess, strangerAccessText } from "./strangerAccess.ts";

describe("strangerAccess()", () => {
  it.each<[AccessPreset, object]>([
    ["closed", {}],
    ["publicRead", { read: "everyone" }],
    ["usersRead", { read: "users" }],
    ["usersOwn", { create: "users" }],
    ["usersCreate", { read: "everyone", create: "users" }],
    ["publicCreate", { create: "everyone" }],
    ["open", { read: "everyone", create: "everyone", change: "everyone" }],
  ])("of a class with access: %s", (access, expected) => {
    const none = { read: undefined, create: undefined, change: undefined };
    expect(strangerAccess(classWith(ACCESS_PRESETS[access]))).toEqual({
      className: "Note",
      ...none,
      ...expected,
    });
  });

  it("is everything in a class without permissions", () => {
    expect(strangerAccessText(strangerAccess(classWith({})))).toBe(
      "Note: everyone read, everyone create, everyone change",
    );
  });

  it("is nothing where only pointers, roles or named users are allowed", () => {
    const permission = { pointerFields: ["owner"], "role:staff": true, ann: true };
    const schema = classWith({
      find: permission,
      get: permission,
      count: {},
      create: permission,
      update: {},
      delete: {},
    });
    expect(strangerAccessText(strangerAccess(schema))).toBe("Note: only operators, roles and named users");
  });
});

it("classesOpenToStrangers() leaves out closed classes and those of the server", () => {
  const classes = [
    classWith({}, { className: "_User" }),
    classWith(ACCESS_PRESETS.closed, { className: "Closed" }),
    classWith({}, { className: "Open" }),
  ];
  expect(classesOpenToStrangers(classes).map(({ className }) => className)).toEqual(["Open"]);
});
