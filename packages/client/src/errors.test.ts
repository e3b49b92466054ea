import type { ErrorCode } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { ParseError } from "./errors.ts";
import { AggregateParseError, ObjectError } from "./object/batchErrors.ts";

const codes: [string, number, keyof typeof ErrorCode][] = [
  ["[8.code.minus-1] OTHER_CAUSE", -1, "OTHER_CAUSE"],
  ["[8.code.103] INVALID_CLASS_NAME", 103, "INVALID_CLASS_NAME"],
  ["[8.code.104] MISSING_OBJECT_ID", 104, "MISSING_OBJECT_ID"],
  ["[8.code.106] INVALID_POINTER", 106, "INVALID_POINTER"],
  ["[8.code.108] COMMAND_UNAVAILABLE", 108, "COMMAND_UNAVAILABLE"],
  ["[8.code.109] NOT_INITIALIZED", 109, "NOT_INITIALIZED"],
  ["[8.code.111] INCORRECT_TYPE", 111, "INCORRECT_TYPE"],
  ["[8.code.112] INVALID_CHANNEL_NAME", 112, "INVALID_CHANNEL_NAME"],
  ["[8.code.115] PUSH_MISCONFIGURED", 115, "PUSH_MISCONFIGURED"],
  ["[8.code.116] OBJECT_TOO_LARGE", 116, "OBJECT_TOO_LARGE"],
  ["[8.code.120] CACHE_MISS", 120, "CACHE_MISS"],
  ["[8.code.121] INVALID_NESTED_KEY", 121, "INVALID_NESTED_KEY"],
  ["[8.code.122] INVALID_FILE_NAME", 122, "INVALID_FILE_NAME"],
  ["[8.code.123] INVALID_ACL", 123, "INVALID_ACL"],
  ["[8.code.126] MISSING_CONTENT_TYPE", 126, "MISSING_CONTENT_TYPE"],
  ["[8.code.127] MISSING_CONTENT_LENGTH", 127, "MISSING_CONTENT_LENGTH"],
  ["[8.code.128] INVALID_CONTENT_LENGTH", 128, "INVALID_CONTENT_LENGTH"],
  ["[8.code.129] FILE_TOO_LARGE", 129, "FILE_TOO_LARGE"],
  ["[8.code.130] FILE_SAVE_ERROR", 130, "FILE_SAVE_ERROR"],
  ["[8.code.139] INVALID_ROLE_NAME", 139, "INVALID_ROLE_NAME"],
  ["[8.code.140] EXCEEDED_QUOTA", 140, "EXCEEDED_QUOTA"],
  ["[8.code.143] INVALID_IMAGE_DATA", 143, "INVALID_IMAGE_DATA"],
  ["[8.code.151] UNSAVED_FILE_ERROR", 151, "UNSAVED_FILE_ERROR"],
  ["[8.code.152] INVALID_PUSH_TIME_ERROR", 152, "INVALID_PUSH_TIME_ERROR"],
  ["[8.code.153] FILE_DELETE_ERROR", 153, "FILE_DELETE_ERROR"],
  ["[8.code.159] DUPLICATE_REQUEST", 159, "DUPLICATE_REQUEST"],
  ["[8.code.160] INVALID_EVENT_NAME", 160, "INVALID_EVENT_NAME"],
  ["[8.code.161] FILE_DELETE_UNNAMED_ERROR", 161, "FILE_DELETE_UNNAMED_ERROR"],
  ["[8.code.207] MUST_CREATE_USER_THROUGH_SIGNUP", 207, "MUST_CREATE_USER_THROUGH_SIGNUP"],
  ["[8.code.210] MFA_ERROR", 210, "MFA_ERROR"],
  ["[8.code.211] MFA_TOKEN_REQUIRED", 211, "MFA_TOKEN_REQUIRED"],
  ["[8.code.250] LINKED_ID_MISSING", 250, "LINKED_ID_MISSING"],
  ["[8.code.251] INVALID_LINKED_SESSION", 251, "INVALID_LINKED_SESSION"],
  ["[8.code.252] UNSUPPORTED_SERVICE", 252, "UNSUPPORTED_SERVICE"],
  ["[8.code.255] INVALID_SCHEMA_OPERATION", 255, "INVALID_SCHEMA_OPERATION"],
  ["[8.code.600] AGGREGATE_ERROR", 600, "AGGREGATE_ERROR"],
  ["[8.code.601] FILE_READ_ERROR", 601, "FILE_READ_ERROR"],
  ["[8.code.602] X_DOMAIN_REQUEST", 602, "X_DOMAIN_REQUEST"],
];

describe("error codes", () => {
  it.each(codes)("%s is %i", (_, code, name) => {
    expect(ParseError[name]).toBe(code);
  });
});

it("an aggregate error lists the errors of its objects", () => {
  const object = {};
  const error = new AggregateParseError([new ObjectError(101, "Object not found.", object)]);
  expect(error).toBeInstanceOf(ParseError);
  expect(error).toMatchObject({ code: 600, message: "Object not found.", errors: [{ code: 101, object }] });
});
