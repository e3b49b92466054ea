import { ErrorCode, ProtocolError } from "@purse/protocol";

/** A value of a request is missing or not valid. */
export function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, message, 400);
}

export function notFound(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, message, 404);
}

/** This server lacks a setting for it, or its node or a contract does not support it. */
export function notSupported(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, message, 501);
}
