import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { AccountLockout } from "../config/passwords.ts";
import { LimitReached, type Write } from "../store/store.ts";
import type { AccountsParts } from "./parts.ts";

const SCOPE = "lockout";

/**
 * Wrong passwords lock an account for a while. Each is counted in one conditional write, so that guesses sent side by
 * side count as well, and a right one is looked at once more after it was found right; names that nobody has lock like
 * others.
 */
export class Lockout {
  readonly #parts: AccountsParts;
  readonly #settings: AccountLockout | undefined;

  constructor(parts: AccountsParts) {
    this.#parts = parts;
    this.#settings = parts.config.accountLockout;
  }

  /** Throws 101 while an account is locked. `name` as claimed, or the user's id. */
  async assertOpen(name: string): Promise<void> {
    if (!this.#settings) return;
    const failures = await this.#parts.store.countOf(SCOPE, name);
    if (failures >= this.#settings.threshold) throw locked(this.#settings);
  }

  /** Counts a wrong password. Throws 101 where that is one too many. */
  async fail(name: string): Promise<void> {
    if (!this.#settings) return;
    const { duration, threshold } = this.#settings;
    const until = this.#parts.clock() + duration * 60_000;
    try {
      await this.#parts.store.write([{ kind: "count", scope: SCOPE, value: name, most: threshold, until }]);
    } catch (error) {
      throw error instanceof LimitReached ? locked(this.#settings) : error;
    }
  }

  /** The steps by which a right password clears the count. */
  clear(name: string): Write[] {
    return this.#settings ? [{ kind: "uncount", scope: SCOPE, value: name }] : [];
  }

  /** The steps by which a reset of the password does. */
  clearByReset(name: string): Write[] {
    return this.#settings?.unlockOnPasswordReset ? this.clear(name) : [];
  }
}

function locked({ duration }: AccountLockout): ProtocolError {
  return new ProtocolError(
    ErrorCode.OBJECT_NOT_FOUND,
    `Your account is locked due to multiple failed login attempts. Please try again after ${duration} minute(s)`,
  );
}
