import { ErrorCode, MAX_OBJECT_LENGTH, ProtocolError } from "@purse/protocol";

/**
 * Throws 116 where an update makes an object larger than objects may be. One that is too large already, as the server's
 * settings may have allowed, can be changed as long as it does not grow.
 */
export function assertObjectSize(before: string, after: string): void {
  if (after.length <= MAX_OBJECT_LENGTH || after.length <= before.length) return;
  throw new ProtocolError(
    ErrorCode.OBJECT_TOO_LARGE,
    `The object would be larger than ${MAX_OBJECT_LENGTH} characters`,
  );
}
