import { ErrorCode, ProtocolError } from "@purse/protocol";

/** The database, or the way to it, was lost while it held a write: whether the write was made is not known. */
export class WriteOutcomeUnknownError extends ProtocolError {
  constructor() {
    super(
      ErrorCode.CONNECTION_FAILED,
      "The database was lost while it held the write: it may or may not have been made. Look before you repeat it.",
      503,
    );
  }
}
