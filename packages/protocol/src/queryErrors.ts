import { ErrorCode, ProtocolError } from "./errors.ts";

/** Creates the error of an invalid query. */
export function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, message);
}

/** Creates the error of an operand with the wrong shape. */
export function invalidValue(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, message);
}
