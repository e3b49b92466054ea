import { ErrorCode, ProtocolError } from "@purse/protocol";

/** The error 101 of a proof that is not valid. */
export function signInError(reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, `The sign-in was refused: ${reason.slice(0, 200)}.`);
}
