import type { ErrorCode } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { ParseError } from "./errors.ts";
import { AggregateParseError, ObjectError } from "./object/batchErrors.ts";

const codes: [string, number, keyof typeof ErrorCode][] = [
  ["OTHER_CAUSE", -1, "OTHER_CAUSE"],
  ["INVALID_CLASS_NAME", 103, "INVALID_CLASS_NAME"],
  ["MISSING_OBJECT_ID", 104, "MISSING_OBJECT_ID"],
  ["INVALID_POINTER", 106, "INVALID_POINTER"],
  ["COMMAND_UNAVAILABLE", 108, "COMMAND_UNAVAILABLE"],
  ["NOT_INITIALIZED", 109, "NOT_INITIALIZED"],
  ["INCORRECT_TYPE", 111, "INCORRECT_TYPE"],
  ["INVALID_CHANNEL_NAME", 112, "INVALID_CHANNEL_NAME"],
  ["PUSH_MISCONFIGURED", 115, "PUSH_MISCONFIGURED"],
  ["OBJECT_TOO_LARGE", 116, "OBJECT_TOO_LARGE"],
  ["CACHE_MISS", 120, "CACHE_MISS"],
  ["INVALID_NESTED_KEY", 121, "INVALID_NESTED_KEY"],
  ["INVALID_FILE_NAME", 122, "INVALID_FILE_NAME"],
  ["INVALID_ACL", 123, "INVALID_ACL"],
  ["MISSING_CONTENT_TYPE", 126, "MISSING_CONTENT_TYPE"],
  ["MISSING_CONTENT_LENGTH", 127, "MISSING_CONTENT_LENGTH"],
  ["INVALID_CONTENT_LENGTH", 128, "INVALID_CONTENT_LENGTH"],
  ["FILE_TOO_LARGE", 129, "FILE_TOO_LARGE"],
  ["FILE_SAVE_ERROR", 130, "FILE_SAVE_ERROR"],
  ["INVALID_ROLE_NAME", 139, "INVALID_ROLE_NAME"],
  ["EXCEEDED_QUOTA", 140, "EXCEEDED_QUOTA"],
  ["INVALID_IMAGE_DATA", 143, "INVALID_IMAGE_DATA"],
  ["UNSAVED_FILE_ERROR", 151, "UNSAVED_FILE_ERROR"],
  ["INVALID_PUSH_TIME_ERROR", 152, "INVALID_PUSH_TIME_ERROR"],
  ["FILE_DELETE_ERROR", 153, "FILE_DELETE_ERROR"],
  ["DUPLICATE_REQUEST", 159, "DUPLICATE_REQUEST"],
  ["INVALID_EVENT_NAME", 160, "INVALID_EVENT_NAME"],
  ["FILE_DELETE_UNNAMED_ERROR", 161, "FILE_DELETE_UNNAMED_ERROR"],
  ["MUST_CREATE_USER_THROUGH_SIGNUP", 207, "MUST_CREATE_USER_THROUGH_SIGNUP"],
  ["MFA_ERROR", 210, "MFA_ERROR"],
  ["MFA_TOKEN_REQUIRED", 211, "MFA_TOKEN_REQUIRED"],
  ["LINKED_ID_MISSING", 250, "LINKED_ID_MISSING"],
  ["INVALID_LINKED_SESSION", 251, "INVALID_LINKED_SESSION"],
  ["UNSUPPORTED_SERVICE", 252, "UNSUPPORTED_SERVICE"],
  ["INVALID_SCHEMA_OPERATION", 255, "INVALID_SCHEMA_OPERATION"],
  ["AGGREGATE_ERROR", 600, "AGGREGATE_ERROR"],
  ["FILE_READ_ERROR", 601, "FILE_READ_ERROR"],
  ["X_DOMAIN_REQUEST", 602, "X_DOMAIN_REQUEST"],
];

describe("ParseError", () => {
  it.each(codes)(
    "has %s with the code %i",
    {
      tags: [
        "8.code.minus-1",
        "8.code.103",
        "8.code.104",
        "8.code.106",
        "8.code.108",
        "8.code.109",
        "8.code.111",
        "8.code.112",
        "8.code.115",
        "8.code.116",
        "8.code.120",
        "8.code.121",
        "8.code.122",
        "8.code.123",
        "8.code.126",
        "8.code.127",
        "8.code.128",
        "8.code.129",
        "8.code.130",
        "8.code.139",
        "8.code.140",
        "8.code.143",
        "8.code.151",
        "8.code.152",
        "8.code.153",
        "8.code.159",
        "8.code.160",
        "8.code.161",
        "8.code.207",
        "8.code.210",
        "8.code.211",
        "8.code.250",
        "8.code.251",
        "8.code.252",
        "8.code.255",
        "8.code.600",
        "8.code.601",
        "8.code.602",
      ],
    },
    (_, code, name) => {
      expect(ParseError[name]).toBe(code);
    },
  );
});

it("AggregateParseError lists the errors of its objects", () => {
  const object = {};
  const error = new AggregateParseError([new ObjectError(101, "Object not found.", object)]);
  expect(error).toBeInstanceOf(ParseError);
  expect(error).toMatchObject({ code: 600, message: "Object not found.", errors: [{ code: 101, object }] });
});
