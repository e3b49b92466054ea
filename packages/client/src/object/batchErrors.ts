import { ErrorCode, ProtocolError } from "@purse/protocol";

/** Several objects of one call failed; `errors` has one entry per failed object. */
export class AggregateParseError extends ProtocolError {
  readonly errors: readonly ObjectError[];

  constructor(errors: readonly ObjectError[]) {
    super(ErrorCode.AGGREGATE_ERROR, errors.map((error) => error.message).join("\n"));
    this.errors = errors;
  }
}

/** The error of one object among several. */
export class ObjectError extends ProtocolError {
  readonly object: object;

  constructor(code: number, message: string, object: object) {
    super(code, message);
    this.object = object;
  }
}
