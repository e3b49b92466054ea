import { ErrorCode, ProtocolError } from "@purse/protocol";

/** Reserves memory that is held until the response has been sent. Rejects with 124 (HTTP 503). */
export interface AnswerMemory {
  /** Holds memory for this many bytes in all, which are in memory already. */
  hold(bytes: number): void;
  /** Resolves once there is memory for this many bytes in all. */
  reserve(bytes: number): Promise<void>;
}

/** The maximum size of an answer, in bytes, unless a setting says otherwise. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

let refused = 0;

/** How many answers this process has refused because of their size. */
export function refusedAnswers(): number {
  return refused;
}

/**
 * The size of one answer. Values are charged each time they are put into it, before they are serialized, because one value
 * in memory can be in the answer many times.
 */
export class AnswerSize {
  readonly maxBytes: number;
  readonly #memory: AnswerMemory | undefined;
  #bytes = 0;

  constructor(maxBytes: number, memory?: AnswerMemory) {
    this.maxBytes = maxBytes;
    this.#memory = memory;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  get bytesLeft(): number {
    return this.maxBytes - this.#bytes;
  }

  /** Throws 116 if this many bytes more would be too much. */
  assertFits(bytes: number): void {
    if (bytes > this.bytesLeft) throw responseTooLarge(this.maxBytes);
  }

  /** Counts bytes that are put into the answer. Throws 116. */
  charge(bytes: number): void {
    this.assertFits(bytes);
    this.#bytes += bytes;
    this.#memory?.hold(this.#bytes);
  }

  /** Like `charge`, but waits until there is memory for them. Rejects with 116, and with 124 (HTTP 503). */
  async reserve(bytes: number): Promise<void> {
    this.assertFits(bytes);
    await this.#memory?.reserve(this.#bytes + bytes);
    // Other parts of the answer may have been charged in the meantime.
    this.charge(bytes);
  }
}

export function responseTooLarge(maxBytes: number): ProtocolError {
  refused += 1;
  const megabytes = Math.max(1, Math.round(maxBytes / 1024 ** 2));
  return new ProtocolError(
    ErrorCode.OBJECT_TOO_LARGE,
    `The response would be larger than ${megabytes} MB: request fewer objects at a time, with limit and skip`,
  );
}
