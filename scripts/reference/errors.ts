import { ErrorCode } from "@purse/protocol";

type Name = keyof typeof ErrorCode;

/** What each code means. The compiler requires a text for every code of the protocol. */
const MEANINGS: Record<Name, string> = {
  OTHER_CAUSE: "An error without a code of its own. The message describes it.",
  INTERNAL_SERVER_ERROR: "An unexpected error on the server. Details are in the server's log only.",
  CONNECTION_FAILED:
    "The server, its database or a chain's node cannot be reached. The client may try again.",
  OBJECT_NOT_FOUND:
    "The object does not exist, or the caller may not read it. Also: wrong username or password, and an invalid wallet signature.",
  INVALID_QUERY: "The query is malformed, uses an unknown operator or exceeds a limit.",
  INVALID_CLASS_NAME: "The class name is not valid, or the class does not exist.",
  MISSING_OBJECT_ID: "An objectId is missing or not allowed.",
  INVALID_KEY_NAME: "The field name is not valid, is reserved or cannot be written.",
  INVALID_POINTER: "The pointer is malformed.",
  INVALID_JSON: "The body is not valid JSON, has a value of the wrong form or exceeds a limit.",
  COMMAND_UNAVAILABLE: "The operation is not available.",
  NOT_INITIALIZED: "The client has not been started, or a live query connection has not sent `connect`.",
  INCORRECT_TYPE: "The value does not have the type of its field.",
  INVALID_CHANNEL_NAME: "The name of a push channel is not valid.",
  PUSH_MISCONFIGURED: "No push service is configured, or the push request is not valid.",
  OBJECT_TOO_LARGE: "The request, the object or the response exceeds the maximum size.",
  OPERATION_FORBIDDEN: "The caller does not have permission.",
  CACHE_MISS: "The object has changed since it was read, or a value is not in the local cache.",
  INVALID_NESTED_KEY: "A key inside a value is not allowed (`$` or `.`).",
  INVALID_FILE_NAME: "The file name is not valid.",
  INVALID_ACL: "The ACL is not valid.",
  TIMEOUT: "The request took too long, or the outcome of a write is unknown.",
  INVALID_EMAIL_ADDRESS: "The email address is not valid.",
  MISSING_CONTENT_TYPE: "The content type is missing. Not sent by Purse.",
  MISSING_CONTENT_LENGTH: "The content length is missing. Not sent by Purse.",
  INVALID_CONTENT_LENGTH: "The content length is not valid. Not sent by Purse.",
  FILE_TOO_LARGE: "The file is too large. Not sent by Purse, which sends 116.",
  FILE_SAVE_ERROR: "The file could not be saved, or uploads are limited at the moment.",
  DUPLICATE_VALUE: "A field with a unique index already has this value.",
  INVALID_ROLE_NAME: "The role name is not valid or cannot be changed.",
  EXCEEDED_QUOTA: "A quota is exceeded. Not sent by Purse, which sends 155.",
  SCRIPT_FAILED: "Cloud code or a webhook threw an error, or a second factor is required or wrong.",
  VALIDATION_ERROR: "A cloud code validator or the password policy rejected the value.",
  INVALID_IMAGE_DATA: "The image could not be decoded, or a hook declaration is not valid.",
  UNSAVED_FILE_ERROR: "The object refers to a file that has not been saved.",
  INVALID_PUSH_TIME_ERROR: "The push time is not valid.",
  FILE_DELETE_ERROR: "The file could not be deleted.",
  REQUEST_LIMIT_EXCEEDED: "A rate limit or a concurrency limit is exceeded. See `Retry-After`.",
  DUPLICATE_REQUEST: "A request with this request id has already been received.",
  INVALID_EVENT_NAME: "The name of an analytics event is not valid.",
  FILE_DELETE_UNNAMED_ERROR: "A file without a name cannot be deleted.",
  USERNAME_MISSING: "The username is missing or too long.",
  PASSWORD_MISSING: "The password is missing.",
  USERNAME_TAKEN: "The username is taken.",
  EMAIL_TAKEN: "The email address is taken.",
  EMAIL_MISSING: "The email address is missing.",
  EMAIL_NOT_FOUND: "The email address is unknown or not verified.",
  SESSION_MISSING: "The operation needs a session, or the user may not be modified by this caller.",
  MUST_CREATE_USER_THROUGH_SIGNUP: "Users are created by signing up.",
  ACCOUNT_ALREADY_LINKED: "The wallet or sign-in method is linked to another user.",
  INVALID_SESSION_TOKEN: "The session token is invalid, expired or revoked.",
  MFA_ERROR: "Multi-factor authentication failed.",
  MFA_TOKEN_REQUIRED: "A code of the second factor is required.",
  LINKED_ID_MISSING: "`authData` has no id.",
  INVALID_LINKED_SESSION: "`authData` is not valid.",
  UNSUPPORTED_SERVICE: "The authentication method is not supported.",
  INVALID_SCHEMA_OPERATION: "The change of a class is not possible, for example because it is not empty.",
  AGGREGATE_ERROR: "Several requests of a batch failed. The error lists each of them. Client only.",
  FILE_READ_ERROR: "The file could not be read.",
  X_DOMAIN_REQUEST: "Requests from other sites are rejected.",
};

/** The page docs/reference/errors.md. */
export function errorsPage(): string {
  const rows = (Object.entries(MEANINGS) as [Name, string][])
    .map(([name, meaning]) => ({ name, code: ErrorCode[name], meaning }))
    .sort((a, b) => a.code - b.code)
    .map(({ name, code, meaning }) => `| ${code} | \`${name}\` | ${meaning} |`);
  return `# Error codes

<!-- Generated by scripts/reference.ts from the error codes of packages/protocol. Do not edit. -->

An error response is JSON with \`code\` and \`error\`:

\`\`\`json
{ "code": 101, "error": "Object not found." }
\`\`\`

The codes are those of the Parse protocol, the names those of the Parse SDKs (\`ErrorCode\` of \`@purse/protocol\`). The HTTP status
is 404 for code 101, 429 for 155, 500 for 1 and 400 for all others, unless a more precise one applies (401, 403, 405, 409, 413,
503, …). Responses to requests that may be repeated later carry \`Retry-After\`.

| Code | Name | Meaning |
| --: | --- | --- |
${rows.join("\n")}
`;
}
