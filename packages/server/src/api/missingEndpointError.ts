import { ErrorCode, ProtocolError } from "@purse/protocol";

/** The error of an endpoint that clients of Moralis know and this server has no data for. */
export function missingEndpointError(name: string, reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, `${name} is not available: ${reason}`, 400);
}
