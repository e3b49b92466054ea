import { ErrorCode, ProtocolError } from "./errors.ts";
import { MAX_NAME_LENGTH, MAX_PATH_LENGTH, MAX_PATH_SEGMENTS } from "./limits.ts";
import { isReservedKey, reservedKeyError } from "./reservedKeys.ts";

const FIELD_NAME = /^[A-Za-z][0-9A-Za-z_]*$/;
const CLASS_NAME = /^[A-Za-z][0-9A-Za-z_]*$/;
const PATH_SEGMENT = /^[0-9A-Za-z_-]+$/;

/** Built-in classes of the server; no other class name may begin with an underscore. */
export const SYSTEM_CLASSES = [
  "_User",
  "_Session",
  "_Role",
  "_Installation",
  "_EthAddress",
  "_ApiKey",
  "_Passkey",
  "_JobStatus",
  "_JobSchedule",
  "_Hooks",
  "_GlobalConfig",
  "_GraphQLConfig",
  "_PushStatus",
  "_Audience",
  "_ChainWatch",
  "_ChainMessage",
  "_ChainStream",
  "_ChainStreamAddress",
  "_ChainStreamDelivery",
  "_ChainStreamReplay",
  "_AddressSyncStatus",
  "_Product",
  "_Migration",
] as const;

const systemClasses: ReadonlySet<string> = new Set(SYSTEM_CLASSES);
const reservedFields: ReadonlySet<string> = new Set(["length", "className"]);

/** Classes that only the server itself uses. */
const INTERNAL_CLASS =
  /^_(ChainWatch|ChainMessage|ChainStream\w*|JobStatus|PushStatus|Hooks|GlobalConfig|GraphQLConfig|Passkey|JobSchedule|Audience|Migration|Idempotency|Join:\w+:\w+)$/;

/** Whether a name belongs to a class or relation table that only the server itself uses. */
export function isInternalClassName(name: string): boolean {
  return INTERNAL_CLASS.test(name);
}

/** Keys begin with a letter and hold only letters, digits and underscore. */
export function isFieldName(name: string): boolean {
  return (
    name.length <= MAX_NAME_LENGTH &&
    FIELD_NAME.test(name) &&
    !reservedFields.has(name) &&
    !isReservedKey(name)
  );
}

export function isClassName(name: string): boolean {
  if (systemClasses.has(name)) return true;
  return name.length <= MAX_NAME_LENGTH && CLASS_NAME.test(name) && !isReservedKey(name);
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
  throw invalidPath(name);
}

/**
 * Splits a dotted path (`address.city`) into its segments: first a field name, then keys of nested objects or indexes
 * of arrays. Throws 105 if it is invalid, with the text of `errorOf`.
 */
export function parsePath(path: string, errorOf = invalidPath): [string, ...string[]] {
  if (path.length > MAX_PATH_LENGTH) throw errorOf(path);
  const [field = "", ...rest] = path.split(".");
  if (!isFieldName(field)) throw errorOf(path);
  if (rest.length >= MAX_PATH_SEGMENTS) throw errorOf(path);
  for (const segment of rest) {
    if (isReservedKey(segment)) throw reservedKeyError(segment);
    if (!PATH_SEGMENT.test(segment)) throw errorOf(path);
  }
  return [field, ...rest];
}

/** The error of a path in the conditions of a query, in the words of Parse Server. */
export function invalidQueryKey(path: string): ProtocolError {
  return keyError(`Invalid key name: ${path.slice(0, 128)}`);
}

function invalidPath(path: string): ProtocolError {
  return keyError(`Invalid field name: ${path.slice(0, 128)}.`);
}

function keyError(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_KEY_NAME, message);
}
