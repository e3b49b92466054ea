import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { AccountLockout } from "../config/passwords.ts";
import { LimitReached, type Write } from "../store/store.ts";
import type { AccountsParts } from "./parts.ts";

const SCOPE = "lockout";

/**
 * Wrong passwords lock an account for a while. An attempt is counted before it is judged, in one
 * conditional write, so that guesses sent side by side count as well; names that nobody has lock like others.
 */
export class Lockout {
  readonly #parts: AccountsParts;
  readonly #settings: AccountLockout | undefined;

  constructor(parts: AccountsParts) {
    this.#parts = parts;
    this.#settings = parts.config.accountLockout;
  }

  /** Counts an attempt. Throws 101 where there have been too many. `name` as claimed, or the user's id. */
  async attempt(name: string): Promise<void> {
    if (!this.#settings) return;
    const { duration, threshold } = this.#settings;
    const until = this.#parts.clock() + duration * 60_000;
    try {
      await this.#parts.store.write([{ kind: "count", scope: SCOPE, value: name, most: threshold, until }]);
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      throw new ProtocolError(
        ErrorCode.OBJECT_NOT_FOUND,
        `Your account is locked due to multiple failed login attempts. Please try again after ${duration} minute(s)`,
      );
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
