import { ErrorCode, ProtocolError } from "@purse/protocol";

/** The error (101) for a passkey that cannot be verified. The reason is for developers and has no final period. */
export function passkeyError(reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, `The passkey was refused: ${reason}.`);
}
