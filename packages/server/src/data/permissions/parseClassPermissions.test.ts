import { describe, expect, it } from "vitest";
import { CLOSED_PERMISSIONS, OPEN_PERMISSIONS } from "./defaultPermissions.ts";
import { parseClassPermissions } from "./parseClassPermissions.ts";

const FIELDS = {
  owner: { type: "Pointer", targetClass: "_User" },
  folder: { type: "Pointer", targetClass: "Folder" },
  editors: { type: "Array" },
  title: { type: "String" },
} as const;

const CLOSED = {
  find: {},
  count: {},
  get: {},
  create: {},
  update: {},
  delete: {},
  addField: {},
  protectedFields: {},
};

describe("parseClassPermissions", () => {
  it("closes operations that are omitted", () => {
    expect(CLOSED_PERMISSIONS).toEqual(CLOSED);
    expect(parseClassPermissions({ find: { "*": true } }, FIELDS)).toEqual({
      ...CLOSED,
      find: { "*": true },
    });
  });

  it.each([undefined, null, [], "open"])("closes everything if the value is not an object: %j", (value) => {
    expect(parseClassPermissions(value, FIELDS)).toEqual(CLOSED);
  });

  it("accepts everyone, users, roles, authentication and pointer fields", () => {
    const permissions = {
      find: { "*": true, "user-id_1": true, "set:ID+symbol$=@llowed": true, "role:team a": true },
      update: { requiresAuthentication: true, pointerFields: ["owner", "editors"] },
      readUserFields: ["owner"],
      writeUserFields: ["editors"],
      ACL: { currentUser: { read: true, write: true }, "*": { read: false } },
      protectedFields: {
        "*": ["title"],
        authenticated: ["title"],
        "role:staff": [],
        "userField:owner": [],
        u1: [],
      },
    };
    expect(parseClassPermissions(permissions, FIELDS)).toEqual({ ...CLOSED, ...permissions });
  });

  it("accepts its own result and the permissions of a class without restrictions", () => {
    expect(parseClassPermissions(CLOSED, FIELDS)).toEqual(CLOSED);
    const open = JSON.parse(JSON.stringify(OPEN_PERMISSIONS));
    expect(parseClassPermissions(open, FIELDS)).toEqual(open);
    expect(open).toEqual({
      ...Object.fromEntries(
        ["find", "count", "get", "create", "update", "delete", "addField"].map((name) => [
          name,
          { "*": true },
        ]),
      ),
      ACL: { "*": { read: true, write: true } },
      protectedFields: { "*": [] },
    });
  });

  it("accepts the user ids that it is told", () => {
    const parse = (key: string) =>
      parseClassPermissions({ get: { [key]: true } }, FIELDS, (text) => /^[0-9a-z]+$/.test(text));
    expect(parse("1234567890").get).toEqual({ "1234567890": true });
    expect(parse("requiresAuthentication").get).toEqual({ requiresAuthentication: true });
    expect(() => parse("12345_6789")).toThrow("'12345_6789' is not a valid key for class level permissions");
  });

  it.each([
    ["an unknown operation", { peek: {} }, "peek is not a valid operation for class level permissions"],
    [
      "an operation that is not an object",
      { find: true },
      "'true' is not a valid value for class level permissions find - must be an object",
    ],
    [
      "grouped fields that are not an array",
      { readUserFields: {} },
      "'{}' is not a valid value for class level permissions readUserFields - must be an array",
    ],
    ["an invalid subject", { find: { "a b": true } }, "'a b' is not a valid key for class level permissions"],
    [
      "a subject that only ends with an id",
      { find: { " ann": true } },
      "' ann' is not a valid key for class level permissions",
    ],
    [
      "a subject that only begins with an id",
      { find: { "ann ": true } },
      "'ann ' is not a valid key for class level permissions",
    ],
    [
      "a permit other than true",
      { find: { ann: false } },
      "'false' is not a valid value for class level permissions acl find:ann",
    ],
    [
      "pointer fields that are not an array",
      { find: { pointerFields: "owner" } },
      "'owner' is not a valid value for find[pointerFields] - expected an array.",
    ],
    [
      "a pointer field of another class",
      { find: { pointerFields: ["folder"] } },
      "'folder' is not a valid column for class level pointer permissions find",
    ],
    [
      "a pointer field that is neither a pointer nor an array",
      { writeUserFields: ["title"] },
      "'title' is not a valid column for class level pointer permissions writeUserFields",
    ],
    [
      "a pointer field that does not exist",
      { find: { pointerFields: ["toString"] } },
      "'toString' is not a valid column for class level pointer permissions find",
    ],
    [
      "a pointer field that is not text",
      { find: { pointerFields: [1] } },
      "'1' is not a valid column for class level pointer permissions find",
    ],
    [
      "an ACL entry that is not an object",
      { ACL: { ann: true } },
      "'true' is not a valid value for class level permissions acl",
    ],
    [
      "an ACL entry with another permission",
      { ACL: { ann: { delete: true } } },
      "'delete' is not a valid key for class level permissions acl",
    ],
    [
      "an ACL permission that is not a boolean",
      { ACL: { ann: { read: 1 } } },
      "'1' is not a valid value for class level permissions acl",
    ],
    [
      "protected fields that are not an array",
      { protectedFields: { "*": "title" } },
      "'title' is not a valid value for protectedFields[*] - expected an array.",
    ],
    [
      "a protected field that is not text",
      { protectedFields: { "*": [1] } },
      "'1' is not a valid value for protectedFields[*]",
    ],
    [
      "a protected field that every object has",
      { protectedFields: { "*": ["objectId"] } },
      "Default field 'objectId' can not be protected",
    ],
    [
      "a protected field that does not exist",
      { protectedFields: { "*": ["toString"] } },
      "Field 'toString' in protectedFields:* does not exist",
    ],
    [
      "an invalid subject of protected fields",
      { protectedFields: { "a b": [] } },
      "'a b' is not a valid key for class level permissions",
    ],
  ])("throws 107 for %s", (_name, value, message) => {
    expect(() => parseClassPermissions(value, FIELDS)).toThrow(
      expect.objectContaining({ code: 107, message }),
    );
  });

  it("quotes at most 200 characters of an invalid value", () => {
    const value = "x".repeat(300);
    expect(() => parseClassPermissions({ find: value }, FIELDS)).toThrow(
      expect.objectContaining({
        message: `'${"x".repeat(200)}' is not a valid value for class level permissions find - must be an object`,
      }),
    );
  });
});
