import { ErrorCode, ProtocolError } from "@purse/protocol";

/** Seconds after which a client may look whether the write was made. */
const RETRY_AFTER_S = 1;

/**
 * The database, or the way to it, was lost while it held a write: whether the write was made is not known (503, code
 * 124). A request that carries a request id can be sent again and is then answered.
 */
export class WriteOutcomeUnknownError extends ProtocolError {
  readonly retryAfter = RETRY_AFTER_S;

  constructor() {
    super(
      ErrorCode.TIMEOUT,
      "The outcome of the write is unknown: the database was lost while it held it. Look before you repeat it.",
      503,
    );
  }
}
