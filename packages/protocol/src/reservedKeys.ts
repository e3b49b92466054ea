import { ErrorCode, ProtocolError } from "./errors.ts";

const RESERVED_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Whether a key could change the prototypes of objects. */
export function isReservedKey(key: string): boolean {
  return RESERVED_KEYS.has(key);
}

/** The error of Parse Server for a reserved key: 105. */
export function reservedKeyError(key: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.INVALID_KEY_NAME,
    `Prohibited keyword in request data: ${JSON.stringify({ key })}.`,
  );
}
