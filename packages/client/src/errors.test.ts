import type { ErrorCode } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { AggregateParseError, ObjectError, ParseError } from "./errors.ts";

const codes: [number, keyof typeof ErrorCode][] = [
  [-1, "OTHER_CAUSE"],
  [103, "INVALID_CLASS_NAME"],
  [104, "MISSING_OBJECT_ID"],
  [106, "INVALID_POINTER"],
  [108, "COMMAND_UNAVAILABLE"],
  [109, "NOT_INITIALIZED"],
  [111, "INCORRECT_TYPE"],
  [112, "INVALID_CHANNEL_NAME"],
  [115, "PUSH_MISCONFIGURED"],
  [116, "OBJECT_TOO_LARGE"],
  [120, "CACHE_MISS"],
  [121, "INVALID_NESTED_KEY"],
  [122, "INVALID_FILE_NAME"],
  [123, "INVALID_ACL"],
  [126, "MISSING_CONTENT_TYPE"],
  [127, "MISSING_CONTENT_LENGTH"],
  [128, "INVALID_CONTENT_LENGTH"],
  [129, "FILE_TOO_LARGE"],
  [130, "FILE_SAVE_ERROR"],
  [139, "INVALID_ROLE_NAME"],
  [143, "INVALID_IMAGE_DATA"],
  [151, "UNSAVED_FILE_ERROR"],
  [152, "INVALID_PUSH_TIME_ERROR"],
  [153, "FILE_DELETE_ERROR"],
  [159, "DUPLICATE_REQUEST"],
  [160, "INVALID_EVENT_NAME"],
  [161, "FILE_DELETE_UNNAMED_ERROR"],
  [207, "MUST_CREATE_USER_THROUGH_SIGNUP"],
  [210, "MFA_ERROR"],
  [211, "MFA_TOKEN_REQUIRED"],
  [250, "LINKED_ID_MISSING"],
  [251, "INVALID_LINKED_SESSION"],
  [252, "UNSUPPORTED_SERVICE"],
  [255, "INVALID_SCHEMA_OPERATION"],
  [600, "AGGREGATE_ERROR"],
  [601, "FILE_READ_ERROR"],
  [602, "X_DOMAIN_REQUEST"],
];

describe("error codes", () => {
  it.each(codes.map(([code, name]) => [code < 0 ? `minus${code}` : String(code), name, code] as const))(
    "[8.code.%s] is %s",
    (_, name, code) => {
      expect(ParseError[name]).toBe(code);
    },
  );
});

it("an aggregate error lists the errors of its objects", () => {
  const object = {};
  const error = new AggregateParseError([new ObjectError(101, "Object not found.", object)]);
  expect(error).toBeInstanceOf(ParseError);
  expect(error).toMatchObject({ code: 600, message: "Object not found.", errors: [{ code: 101, object }] });
});
