import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { AccountLockout } from "../config/passwords.ts";
import { counterKey } from "../store/counterKey.ts";
import { LimitReached, type Write } from "../store/store.ts";
import type { AccountsParts } from "./parts.ts";

const SCOPE = "lockout";
/** For codes, which are short, where the operator lets passwords be guessed without end. */
const FOR_CODES: AccountLockout = { threshold: 10, duration: 5, unlockOnPasswordReset: false };

/**
 * Wrong passwords and wrong codes of a second factor lock an account for a while, together. Each is counted in one
 * conditional write, so that guesses sent side by side count as well; names that nobody has lock like others. A right
 * password is looked at once more after it was found right. Codes take no time to check, so they are counted before.
 */
export class Lockout {
  readonly #parts: Pick<AccountsParts, "store" | "clock">;
  readonly #settings: AccountLockout | undefined;

  constructor(parts: Pick<AccountsParts, "store" | "clock" | "config">) {
    this.#parts = parts;
    this.#settings = parts.config.accountLockout;
  }

  /** Throws 101 while an account is locked. `name` as claimed, or the user's id. */
  async assertOpen(name: string): Promise<void> {
    if (!this.#settings) return;
    const failures = await this.#parts.store.countOf(SCOPE, counterKey(name));
    if (failures >= this.#settings.threshold) throw locked(this.#settings);
  }

  /** Counts a wrong password. Throws 101 where that is one too many. */
  async fail(name: string): Promise<void> {
    if (this.#settings) await this.#count(name, this.#settings);
  }

  /** Counts a code that is about to be checked. Throws 101 while the account is locked: then it must not be. */
  async countCode(name: string): Promise<void> {
    await this.#count(name, this.#settings ?? FOR_CODES);
  }

  /** The steps by which a right password clears the count; not while a code is still wanted. */
  clear(name: string): Write[] {
    return this.#settings ? this.clearCodes(name) : [];
  }

  /** The steps by which a right code clears the count. */
  clearCodes(name: string): Write[] {
    return [{ kind: "uncount", scope: SCOPE, value: counterKey(name) }];
  }

  /** The steps by which a reset of the password does. */
  clearByReset(name: string): Write[] {
    return this.#settings?.unlockOnPasswordReset ? this.clear(name) : [];
  }

  async #count(name: string, settings: AccountLockout): Promise<void> {
    const { duration, threshold } = settings;
    const until = this.#parts.clock() + duration * 60_000;
    try {
      const value = counterKey(name);
      await this.#parts.store.write([{ kind: "count", scope: SCOPE, value, most: threshold, until }]);
    } catch (error) {
      throw error instanceof LimitReached ? locked(settings) : error;
    }
  }
}

function locked({ duration }: AccountLockout): ProtocolError {
  return new ProtocolError(
    ErrorCode.OBJECT_NOT_FOUND,
    `Your account is locked due to multiple failed login attempts. Please try again after ${duration} minute(s)`,
  );
}
