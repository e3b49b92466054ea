import { ErrorCode, ProtocolError } from "./errors.ts";
import { MAX_NAME_LENGTH, MAX_PATH_LENGTH, MAX_PATH_SEGMENTS } from "./limits.ts";

const FIELD_NAME = /^[A-Za-z][0-9A-Za-z_]*$/;
const CLASS_NAME = /^[A-Za-z][0-9A-Za-z_]*$/;
const ROLE_NAME = /^[0-9a-zA-Z\-_ ]+$/;
const PATH_SEGMENT = /^[0-9A-Za-z_-]+$/;

/** Built-in classes of the server; no other class name may begin with an underscore. */
export const SYSTEM_CLASSES = [
  "_User",
  "_Session",
  "_Role",
  "_Installation",
  "_EthAddress",
  "_ApiKey",
  "_JobStatus",
  "_JobSchedule",
  "_Hooks",
  "_GlobalConfig",
  "_PushStatus",
  "_Audience",
  "_ChainWatch",
  "_ChainMessage",
] as const;

const systemClasses: ReadonlySet<string> = new Set(SYSTEM_CLASSES);
const reservedFields: ReadonlySet<string> = new Set([
  "__proto__",
  "constructor",
  "prototype",
  "length",
  "className",
]);
const reservedSegments: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Classes that only the server itself uses. */
const INTERNAL_CLASS =
  /^_(ChainWatch|ChainMessage|JobStatus|PushStatus|Hooks|GlobalConfig|GraphQLConfig|JobSchedule|Audience|Idempotency|Join:\w+:\w+)$/;

/** Whether a name belongs to a class or relation table that only the server itself uses. */
export function isInternalClassName(name: string): boolean {
  return INTERNAL_CLASS.test(name);
}

/** Keys begin with a letter and hold only letters, digits and underscore. */
export function isFieldName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && FIELD_NAME.test(name) && !reservedFields.has(name);
}

export function isClassName(name: string): boolean {
  if (systemClasses.has(name)) return true;
  return name.length <= MAX_NAME_LENGTH && CLASS_NAME.test(name) && !reservedSegments.has(name);
}

export function isRoleName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && ROLE_NAME.test(name);
}

/** Throws 103 for an invalid class name. */
export function assertClassName(name: unknown): asserts name is string {
  if (typeof name === "string" && isClassName(name)) return;
  throw new ProtocolError(
    ErrorCode.INVALID_CLASS_NAME,
    `Invalid classname: ${String(name).slice(0, 128)}, classnames can only have alphanumeric characters and _, and must start with an alpha character`,
  );
}

/** Throws 105 for an invalid field name. */
export function assertFieldName(name: string): void {
  if (isFieldName(name)) return;
  throw new ProtocolError(
    ErrorCode.INVALID_KEY_NAME,
    `Invalid field name: ${name.slice(0, 128)}. Invalid Key name`,
  );
}

/**
 * Splits a dotted path (`address.city`) into its segments: first a field name, then keys of nested objects or indexes
 * of arrays. Throws 105 if it is invalid.
 */
export function parsePath(path: string): [string, ...string[]] {
  if (path.length > MAX_PATH_LENGTH) throw invalidPath(path);
  const [field = "", ...rest] = path.split(".");
  assertFieldName(field);
  const isValid = (segment: string) => PATH_SEGMENT.test(segment) && !reservedSegments.has(segment);
  if (rest.length >= MAX_PATH_SEGMENTS || !rest.every(isValid)) throw invalidPath(path);
  return [field, ...rest];
}

function invalidPath(path: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.INVALID_KEY_NAME,
    `Invalid field name: ${path.slice(0, 128)}. Invalid Key name`,
  );
}
