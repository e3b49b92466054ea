import { ErrorCode, ProtocolError } from "@purse/protocol";

/** The answer to a proof of a wallet that proves nothing; the reason is for developers and ends without a stop. */
export function refused(reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, `Wallet sign-in was refused: ${reason}.`);
}
