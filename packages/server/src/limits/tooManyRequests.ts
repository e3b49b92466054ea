import { ErrorCode, ProtocolError } from "@purse/protocol";

/** Refuses whoever asks too often (155, HTTP 429), saying when to come back. */
export class TooManyRequests extends ProtocolError {
  /** In s, from 1. */
  readonly retryAfter: number;

  constructor(retryAfterMs: number, message: string) {
    super(ErrorCode.REQUEST_LIMIT_EXCEEDED, message, 429);
    this.retryAfter = Math.max(1, Math.ceil(retryAfterMs / 1000));
  }
}

export function tooManyRequests(
  retryAfterMs: number,
  message: string = "Too many requests.",
): TooManyRequests {
  return new TooManyRequests(retryAfterMs, message);
}
