import { availableParallelism } from "node:os";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import { addressKey } from "../core/http/address.ts";
import { FairQueue } from "../core/limits/fairQueue.ts";

/** OWASP parameters for Argon2id: 19 MiB, two passes, one lane. Hashing runs on libuv's thread pool. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MAX_BYTES = 1_024;
/** Maximum time that a password waits to be hashed, in ms. */
const MAX_WAIT_MS = 20_000;
/** One IP address may use 1/KEY_SHARE_DIVISOR of the queue. */
const KEY_SHARE_DIVISOR = 4;

/** The hash of forgotten random bytes: verified if the user does not exist, so that the response time does not reveal it. */
const DUMMY_HASH = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$JBGMH1bc2wQ/DlM2FztV/A$sTNZl6krjG/LUh4gEELXw/WClIfD06gUkseR5emWfds`;

/** Hashes of a higher cost, which take more than a second, are not imitated for others. */
const MAX_COMPLETED_COST = 14;

// Both libraries reserve memory of their own as soon as they are loaded.
const argon2 = () => import("@node-rs/argon2");
const bcrypt = () => import("@node-rs/bcrypt");

/** The request of a password. IP addresses are served in turn; the hashes of one request are computed one by one. */
export type PasswordOrigin = Partial<Pick<RequestContext, "ip" | "requestId" | "isInternal">>;

export interface PasswordsOptions {
  /** Concurrent hashes; the default is `defaultHashConcurrency()`. */
  concurrency?: number | undefined;
  /** Maximum number of waiting hashes. */
  maxWaiting?: number | undefined;
}

/**
 * Hashes and verifies passwords in a bounded queue, so that logins leave threads of libuv's pool to file access and
 * other work. Rejects with 155 (HTTP 429 or 503) if too many wait.
 */
export class Passwords {
  readonly #queue: FairQueue;

  constructor({ concurrency = defaultHashConcurrency(), maxWaiting = 512 }: PasswordsOptions = {}) {
    this.#queue = new FairQueue({
      concurrency,
      maxWaiting,
      maxWaitingPerKey: Math.max(1, Math.floor(maxWaiting / KEY_SHARE_DIVISOR)),
      maxWaitMs: MAX_WAIT_MS,
      message: "Too many sign-ins at once. Try again in a few seconds.",
    });
  }

  /** Throws 142 if the password is too long. */
  async hash(password: string, origin: PasswordOrigin): Promise<string> {
    assertPasswordLength(password);
    return this.#run(origin, async () => (await argon2()).hash(password, PARAMETERS));
  }

  /**
   * Takes the same time whether or not there is a hash of the server's own to compare with. A password that is too long never
   * matches.
   */
  async verify(passwordHash: string | undefined, password: string, origin: PasswordOrigin): Promise<boolean> {
    if (isTooLong(password)) return false;
    const expectedHash = passwordHash ?? DUMMY_HASH;
    const matches = await this.#run(origin, async () =>
      isBcrypt(expectedHash)
        ? (await bcrypt()).verify(password, expectedHash)
        : (await argon2()).verify(expectedHash, password),
    );
    return matches && passwordHash !== undefined;
  }

  /**
   * Does the work that `verify` has not done for a wrong password: one hash of the server's own and one bcrypt hash of this
   * cost are computed in all, whichever of them the user has.
   */
  async completeFailure(
    passwordHash: string | undefined,
    password: string,
    bcryptCost: number,
    origin: PasswordOrigin,
  ): Promise<void> {
    if (isTooLong(password)) return;
    const highestCost = Math.min(bcryptCost, MAX_COMPLETED_COST);
    const ownCost = passwordHash === undefined ? undefined : bcryptCostOf(passwordHash);
    await this.#run(origin, async () => {
      if (ownCost !== undefined) await (await argon2()).verify(DUMMY_HASH, password);
      if (ownCost === undefined) await verifyBcrypt(highestCost, password);
      // Each cost takes as long as all lower ones together, and the lowest of them once more.
      else for (let cost = ownCost; cost < highestCost; cost++) await verifyBcrypt(cost, password);
    });
  }

  #run<T>({ ip, requestId, isInternal }: PasswordOrigin, work: () => Promise<T>): Promise<T> {
    const key = ip === undefined || isInternal ? undefined : addressKey(ip);
    return this.#queue.run({ key, group: requestId || undefined }, work);
  }
}

/** Compares a password with a bcrypt hash of nothing. */
async function verifyBcrypt(cost: number, password: string): Promise<void> {
  await (await bcrypt()).verify(password, `$2b$${String(cost).padStart(2, "0")}$${".".repeat(53)}`);
}

/** Throws 142 if the password is too long. */
export function assertPasswordLength(password: string): void {
  if (isTooLong(password)) {
    throw new ProtocolError(ErrorCode.VALIDATION_ERROR, `A password may have at most ${MAX_BYTES} bytes`);
  }
}

function isTooLong(password: string): boolean {
  return password.length > MAX_BYTES || Buffer.byteLength(password) > MAX_BYTES;
}

/** Half of libuv's threads, but not more than the number of processors. */
export function defaultHashConcurrency(): number {
  const threads = Number(process.env.UV_THREADPOOL_SIZE) || 4;
  return Math.max(1, Math.min(Math.floor(threads / 2), availableParallelism()));
}

/** Whether a hash was imported from another server; it is replaced at the next login. */
export function isBcrypt(passwordHash: string): boolean {
  return /^\$2[abxy]?\$/.test(passwordHash);
}

/** The cost of an imported hash: each one takes twice as long as the one below. Undefined for other hashes. */
export function bcryptCostOf(passwordHash: string): number | undefined {
  if (!isBcrypt(passwordHash)) return undefined;
  const cost = Number(passwordHash.split("$", 3)[2]);
  return Number.isInteger(cost) && cost >= 4 && cost <= 31 ? cost : undefined;
}
