import { ErrorCode, ProtocolError } from "@purse/protocol";

/** The error (101) for a wallet proof that cannot be verified. The reason is for developers and has no final period. */
export function walletSignInError(reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, `Wallet sign-in was refused: ${reason}.`);
}
