import { ErrorCode, ProtocolError } from "@purse/protocol";

/** Seconds after which a client may check whether the write was committed. */
const RETRY_AFTER_S = 1;

/**
 * The database or the connection was lost during a write, so it is unknown whether the write was committed (503, code
 * 124). A request with a request id can be sent again to get its result.
 */
export class WriteOutcomeUnknownError extends ProtocolError {
  readonly retryAfter = RETRY_AFTER_S;

  constructor() {
    super(
      ErrorCode.TIMEOUT,
      "The outcome of the write is unknown: the database was lost while it held it. Check before you repeat it.",
      503,
    );
  }
}
