import { ErrorCode, ProtocolError } from "@purse/protocol";

/** Seconds after which a client may call again. */
const RETRY_AFTER_S = 5;

/** A call was not begun in time because others took all of it, and never will be: it may be sent again. */
export class NotBegunError extends ProtocolError {
  readonly retryAfter = RETRY_AFTER_S;

  constructor(name: string, ms: number) {
    super(ErrorCode.TIMEOUT, `${name} was not begun within ${ms} ms: too many other calls wait`, 503);
  }
}
