import { ErrorCode, ProtocolError } from "@purse/protocol";

/** The error 119 of a request whose sender may not do what it asks for. */
export function operationForbidden(message: string, status?: number): ProtocolError {
  return new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, message, status);
}
