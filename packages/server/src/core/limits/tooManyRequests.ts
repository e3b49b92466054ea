import { ErrorCode, ProtocolError } from "@purse/protocol";

/** Error 155 for a client that exceeds a limit (HTTP 429), or for all clients while the server is overloaded (HTTP 503). */
export class TooManyRequestsError extends ProtocolError {
  /** When to retry, in seconds, from 1; sent as Retry-After. */
  readonly retryAfter: number;

  constructor(retryAfterMs: number, message: string, status: 429 | 503 = 429) {
    super(ErrorCode.REQUEST_LIMIT_EXCEEDED, message, status);
    this.retryAfter = Math.max(1, Math.ceil(retryAfterMs / 1000));
  }
}

export function tooManyRequests(
  retryAfterMs: number,
  message: string = "Too many requests.",
  status: 429 | 503 = 429,
): TooManyRequestsError {
  return new TooManyRequestsError(retryAfterMs, message, status);
}
