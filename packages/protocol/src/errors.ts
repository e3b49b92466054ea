/** Error codes of the Parse protocol. The spelling of the names is that of the Parse SDKs. */
export const ErrorCode = {
  OTHER_CAUSE: -1,
  INTERNAL_SERVER_ERROR: 1,
  CONNECTION_FAILED: 100,
  OBJECT_NOT_FOUND: 101,
  INVALID_QUERY: 102,
  INVALID_CLASS_NAME: 103,
  MISSING_OBJECT_ID: 104,
  INVALID_KEY_NAME: 105,
  INVALID_POINTER: 106,
  INVALID_JSON: 107,
  COMMAND_UNAVAILABLE: 108,
  NOT_INITIALIZED: 109,
  INCORRECT_TYPE: 111,
  INVALID_CHANNEL_NAME: 112,
  PUSH_MISCONFIGURED: 115,
  OBJECT_TOO_LARGE: 116,
  OPERATION_FORBIDDEN: 119,
  CACHE_MISS: 120,
  INVALID_NESTED_KEY: 121,
  INVALID_FILE_NAME: 122,
  INVALID_ACL: 123,
  TIMEOUT: 124,
  INVALID_EMAIL_ADDRESS: 125,
  MISSING_CONTENT_TYPE: 126,
  MISSING_CONTENT_LENGTH: 127,
  INVALID_CONTENT_LENGTH: 128,
  FILE_TOO_LARGE: 129,
  FILE_SAVE_ERROR: 130,
  DUPLICATE_VALUE: 137,
  INVALID_ROLE_NAME: 139,
  EXCEEDED_QUOTA: 140,
  SCRIPT_FAILED: 141,
  VALIDATION_ERROR: 142,
  INVALID_IMAGE_DATA: 143,
  UNSAVED_FILE_ERROR: 151,
  INVALID_PUSH_TIME_ERROR: 152,
  FILE_DELETE_ERROR: 153,
  REQUEST_LIMIT_EXCEEDED: 155,
  DUPLICATE_REQUEST: 159,
  INVALID_EVENT_NAME: 160,
  FILE_DELETE_UNNAMED_ERROR: 161,
  USERNAME_MISSING: 200,
  PASSWORD_MISSING: 201,
  USERNAME_TAKEN: 202,
  EMAIL_TAKEN: 203,
  EMAIL_MISSING: 204,
  EMAIL_NOT_FOUND: 205,
  SESSION_MISSING: 206,
  MUST_CREATE_USER_THROUGH_SIGNUP: 207,
  ACCOUNT_ALREADY_LINKED: 208,
  INVALID_SESSION_TOKEN: 209,
  MFA_ERROR: 210,
  MFA_TOKEN_REQUIRED: 211,
  LINKED_ID_MISSING: 250,
  INVALID_LINKED_SESSION: 251,
  UNSUPPORTED_SERVICE: 252,
  INVALID_SCHEMA_OPERATION: 255,
  AGGREGATE_ERROR: 600,
  FILE_READ_ERROR: 601,
  X_DOMAIN_REQUEST: 602,
} as const;

export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/**
 * An error that a client may see: `code` and `message` travel as `{code, error}`.
 * `status` is the HTTP status of the answer; without one the door chooses by code.
 */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code: number;
  readonly status: number | undefined;

  constructor(code: number, message: string, status?: number) {
    super(message);
    this.code = code;
    this.status = status;
  }

  toJSON(): { code: number; error: string } {
    return { code: this.code, error: this.message };
  }
}
