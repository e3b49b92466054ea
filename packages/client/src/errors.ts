import { ErrorCode, type ErrorContent, ProtocolError } from "@purse/protocol";

type Codes = typeof ErrorCode;

/** The protocol's error class with the error codes as static properties. */
export interface ParseErrorClass extends Codes {
  new (code: number, message: ErrorContent, status?: number): ProtocolError;
  readonly prototype: ProtocolError;
  readonly INVALID_VALUE: 162;
}

/** An error of the protocol, with the error codes as static properties as in the Parse SDKs. */
export const ParseError: ParseErrorClass = /* @__PURE__ */ Object.assign(ProtocolError, ErrorCode, {
  INVALID_VALUE: 162,
} as const);
export type ParseError = ProtocolError;
