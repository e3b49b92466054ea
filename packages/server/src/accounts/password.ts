import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { verify as verifyBcrypt } from "@node-rs/bcrypt";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../caller.ts";
import { addressKey } from "../http/address.ts";
import { FairQueue } from "../limits/fairQueue.ts";

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. Hashing runs on libuv's threads. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MAX_BYTES = 1_024;
/** How long a password may wait to be hashed, in ms. */
const MAX_WAIT_MS = 20_000;
/** Of the queue, what one address may take: one part in so many. */
const SHARES = 4;

/** Verified where there is no user, so that the answer takes as long as for one. */
const NOBODY = hash("a password that nobody has", PARAMETERS);

/** The request that a password came with: its addresses take turns, and its own hashes are made one after the other. */
export type PasswordOrigin = Partial<Pick<RequestContext, "ip" | "requestId" | "isInternal">>;

export interface PasswordsOptions {
  /** Hashes that are computed at once; without it `defaultHashConcurrency()`. */
  concurrency?: number | undefined;
  /** Hashes that may wait. */
  maxWaiting?: number | undefined;
}

/**
 * Hashes and verifies passwords in a bounded queue of their own, so that they leave libuv's threads to files and other
 * work, however many log-ins arrive. Rejects with 155 (HTTP 429 or 503) where too many wait.
 */
export class Passwords {
  readonly #queue: FairQueue;

  constructor({ concurrency = defaultHashConcurrency(), maxWaiting = 512 }: PasswordsOptions = {}) {
    this.#queue = new FairQueue({
      concurrency,
      maxWaiting,
      maxWaitingPerKey: Math.max(1, Math.floor(maxWaiting / SHARES)),
      maxWaitMs: MAX_WAIT_MS,
      message: "Too many sign-ins at once. Try again in a few seconds.",
    });
  }

  /** Throws 142 for a password that is too long to be one. */
  async hash(password: string, origin: PasswordOrigin): Promise<string> {
    assertPasswordLength(password);
    return this.#run(origin, () => hash(password, PARAMETERS));
  }

  /** Takes the same time whether or not there is a hash to compare with. */
  async verify(passwordHash: string | undefined, password: string, origin: PasswordOrigin): Promise<boolean> {
    if (isTooLong(password)) return false;
    const known = passwordHash ?? (await NOBODY);
    const matches = await this.#run(origin, () =>
      isBcrypt(known) ? verifyBcrypt(password, known) : verify(known, password),
    );
    return matches && passwordHash !== undefined;
  }

  #run<T>({ ip, requestId, isInternal }: PasswordOrigin, work: () => Promise<T>): Promise<T> {
    const key = ip === undefined || isInternal ? undefined : addressKey(ip);
    return this.#queue.run({ key, group: requestId || undefined }, work);
  }
}

/** Throws 142 for a password that is too long to be one. */
export function assertPasswordLength(password: string): void {
  if (isTooLong(password)) {
    throw new ProtocolError(ErrorCode.VALIDATION_ERROR, `A password takes ${MAX_BYTES} bytes at most`);
  }
}

function isTooLong(password: string): boolean {
  return password.length > MAX_BYTES || Buffer.byteLength(password) > MAX_BYTES;
}

/** Half of libuv's threads, but not more than there are processors. */
export function defaultHashConcurrency(): number {
  const threads = Number(process.env.UV_THREADPOOL_SIZE) || 4;
  return Math.max(1, Math.min(Math.floor(threads / 2), availableParallelism()));
}

/** Whether a hash comes from another server: at the next log-in it is made anew. */
export function isBcrypt(passwordHash: string): boolean {
  return /^\$2[abxy]?\$/.test(passwordHash);
}
