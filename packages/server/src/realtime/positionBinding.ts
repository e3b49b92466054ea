import { createHmac, timingSafeEqual } from "node:crypto";

/** Whose position it is, and since when. */
export interface BoundReader {
  className: string;
  /** The user, or another kind of client: positions of one are of no use to others. */
  identity: string;
}

/** Bytes of the code. */
const CODE_BYTES = 12;
const BINDING = /^(\d{1,15})\.([\w-]{16})$/;

/**
 * Binds positions of clients to their class, to who they are and to where their subscription began, so that nobody is told
 * of changes that were made before. All servers of a database have the same key. `positionOf` is the one of the feed.
 */
export class PositionBinding {
  readonly #key: Uint8Array;
  readonly #positionOf: (seq: number) => string;

  constructor(key: Uint8Array, positionOf: (seq: number) => string) {
    this.#key = key;
    this.#positionOf = positionOf;
  }

  /** The binding of a subscription that has received no change up to `start`. */
  of(reader: BoundReader, start: number): string {
    return `${start}.${this.#code(reader, start).toString("base64url")}`;
  }

  /** Whether a client was told this binding and may continue after a change. */
  allows(binding: string | undefined, reader: BoundReader, seq: number): boolean {
    const [, start, code] = BINDING.exec(binding ?? "") ?? [];
    if (start === undefined || code === undefined || Number(start) > seq) return false;
    return timingSafeEqual(Buffer.from(code, "base64url"), this.#code(reader, Number(start)));
  }

  #code({ className, identity }: BoundReader, start: number): Buffer {
    const content = JSON.stringify([this.#positionOf(start), className, identity]);
    return createHmac("sha256", this.#key).update(content).digest().subarray(0, CODE_BYTES);
  }
}
