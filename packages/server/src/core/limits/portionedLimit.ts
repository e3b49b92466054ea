import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { RateLimiter } from "./rateLimiter.ts";
import { tooManyRequests } from "./tooManyRequests.ts";

export interface PortionedLimitOptions {
  /** Counts for all processes, in KiB. */
  limiter: RateLimiter;
  /** What is limited: a prefix of the keys. */
  name: string;
  maxBytes: number;
  windowMs: number;
  /** A monotonic clock, in ms. */
  clock(): number;
  /** The text of the error of a key that has used its bytes. */
  message(key: string): string;
}

interface Account {
  /** Bytes that were counted and not used yet. */
  left: number;
  /** When the window of the bytes ends, by the clock. */
  endsAt: number;
  /** Counting that is in progress; others wait for it. */
  counting: Promise<void> | undefined;
  /** So many bytes are too much until the window ends. */
  refusedFrom: number;
}

const KIB = 1024;
/** What is counted at once, as a part of the limit. */
const PORTION = 1 / 128;
const MAX_ACCOUNTS = 100_000;

/**
 * A limit of bytes by key in fixed windows, for all processes together. Bytes are counted in portions, so that most uses
 * take nothing but memory; a process that ends loses the rest of its portions.
 */
export class PortionedLimit {
  readonly #options: PortionedLimitOptions;
  readonly #portion: number;
  /** In the order in which they were opened. */
  readonly #accounts = new Map<string, Account>();
  /** How often bytes were refused. */
  refusals = 0;

  constructor(options: PortionedLimitOptions) {
    this.#options = options;
    this.#portion = Math.max(KIB, options.maxBytes * PORTION);
  }

  /** Uses bytes of a key: at once if it returns undefined. Rejects with 116 (HTTP 413) or 155 (HTTP 429). */
  use(key: string, bytes: number): Promise<void> | undefined {
    const { maxBytes, clock } = this.#options;
    if (bytes > maxBytes) return this.#reject(tooLarge(maxBytes));
    const account = this.#accountOf(key);
    if (account.endsAt <= clock()) Object.assign(account, { left: 0, refusedFrom: Number.POSITIVE_INFINITY });
    if (account.left < bytes || account.counting) return this.#useCounted(key, account, bytes);
    account.left -= bytes;
    return undefined;
  }

  /** Gives back bytes that were not used after all. */
  giveBack(key: string, bytes: number): void {
    const account = this.#accounts.get(key);
    if (account && account.endsAt > this.#options.clock()) account.left += bytes;
  }

  async #useCounted(key: string, account: Account, bytes: number): Promise<void> {
    while (account.counting) await account.counting;
    if (account.left >= bytes) {
      account.left -= bytes;
      return;
    }
    if (bytes < account.refusedFrom) {
      const counted = this.#count(key, account, bytes);
      const end = () => {
        account.counting = undefined;
      };
      account.counting = counted.then(end, end);
      if (await counted) return;
    }
    const { clock, message } = this.#options;
    await this.#reject(tooManyRequests(account.endsAt - clock(), message(key)));
  }

  /** Counts a portion, or what is left of the limit if that is less, and uses bytes of it. Returns whether it suffices. */
  async #count(key: string, account: Account, bytes: number): Promise<boolean> {
    const { limiter, name, maxBytes, windowMs, clock } = this.#options;
    const limiterKey = `${name} ${key}`;
    const portion = Math.ceil(Math.max(bytes - account.left, this.#portion) / KIB);
    const { used, resetsInMs } = await limiter.count(limiterKey, windowMs, portion);
    account.endsAt = clock() + resetsInMs;
    const available = Math.min(portion * KIB, maxBytes - (used - portion) * KIB);
    if (account.left + available >= bytes) {
      account.left += available - bytes;
      return true;
    }
    account.refusedFrom = bytes;
    await limiter.refund(limiterKey, portion);
    return false;
  }

  #accountOf(key: string): Account {
    const found = this.#accounts.get(key);
    if (found) return found;
    if (this.#accounts.size >= MAX_ACCOUNTS) this.#evict();
    const account: Account = {
      left: 0,
      endsAt: 0,
      counting: undefined,
      refusedFrom: Number.POSITIVE_INFINITY,
    };
    this.#accounts.set(key, account);
    return account;
  }

  /** Evicts a tenth at once, so that the next keys do not need an eviction. */
  #evict(): void {
    const now = this.#options.clock();
    for (const [key, { endsAt }] of this.#accounts) if (endsAt <= now) this.#accounts.delete(key);
    for (const key of this.#accounts.keys()) {
      if (this.#accounts.size <= MAX_ACCOUNTS * 0.9) return;
      this.#accounts.delete(key);
    }
  }

  async #reject(error: ProtocolError): Promise<void> {
    this.refusals += 1;
    throw error;
  }
}

function tooLarge(maxBytes: number): ProtocolError {
  return new ProtocolError(
    ErrorCode.OBJECT_TOO_LARGE,
    `A client may store ${maxBytes} bytes at most in one object`,
    413,
  );
}
