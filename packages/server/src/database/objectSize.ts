import { ErrorCode, MAX_OBJECT_LENGTH, ProtocolError } from "@purse/protocol";

/**
 * Throws 116 if an update makes an object larger than the limit. Objects above the limit, which server settings may
 * have allowed before, can be changed as long as they do not grow.
 */
export function assertObjectSize(before: string, after: string): void {
  if (after.length <= MAX_OBJECT_LENGTH || after.length <= before.length) return;
  throw new ProtocolError(
    ErrorCode.OBJECT_TOO_LARGE,
    `The object would be larger than ${MAX_OBJECT_LENGTH} characters`,
  );
}
