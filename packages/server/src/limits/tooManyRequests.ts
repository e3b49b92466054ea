import { ErrorCode, ProtocolError } from "@purse/protocol";

/** Refuses a client that sends too much (155, HTTP 429), or everybody while there is too much to do (155, HTTP 503). */
export class TooManyRequests extends ProtocolError {
  /** When to try again, in s, from 1; sent as Retry-After. */
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
): TooManyRequests {
  return new TooManyRequests(retryAfterMs, message, status);
}
