import { ErrorCode, ProtocolError } from "@purse/protocol";

/** The error 209 of a request whose session does not exist or has ended. */
export function invalidSessionError(): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Invalid session token");
}
