import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { AccountLockout } from "../config/passwords.ts";
import { counterKey } from "../database/counterKey.ts";
import { CounterLimitError, type Write } from "../database/store.ts";
import type { AuthDependencies } from "./authDependencies.ts";

const SCOPE = "lockout";
/** Limit for codes of a second factor if no lockout is configured for passwords: codes are short. */
const CODE_LOCKOUT: AccountLockout = { threshold: 10, duration: 5, unlockOnPasswordReset: false };

/**
 * Locks an account temporarily after too many wrong passwords and second-factor codes, which count together. Each
 * failure is counted in one conditional write, so concurrent guesses count too; unknown names are locked like others.
 * A lockout is checked again after a password has been verified. Codes are counted before they are verified.
 */
export class Lockout {
  readonly #dependencies: Pick<AuthDependencies, "store" | "clock">;
  readonly #settings: AccountLockout | undefined;
  readonly #unlocksByDefault: boolean;

  constructor(dependencies: Pick<AuthDependencies, "store" | "clock" | "config">) {
    this.#dependencies = dependencies;
    this.#settings = dependencies.config.accountLockout;
    this.#unlocksByDefault = dependencies.config.compatibility !== "parse";
  }

  /** Throws 101 while an account is locked. `account` is the user's ID, or the normalized name if there is no such user. */
  async assertUnlocked(account: string): Promise<void> {
    if (!this.#settings) return;
    const failures = await this.#dependencies.store.getCounter(SCOPE, counterKey(account));
    if (failures >= this.#settings.threshold) throw accountLocked(this.#settings);
  }

  /** Counts a wrong password. Throws 101 if that locks the account. */
  async countFailure(account: string): Promise<void> {
    if (this.#settings) await this.#count(account, this.#settings);
  }

  /** Counts a code before it is verified. Throws 101 while the account is locked; the code must not be verified then. */
  async countCode(account: string): Promise<void> {
    await this.#count(account, this.#settings ?? CODE_LOCKOUT);
  }

  /** Writes that reset the count after a correct password; not to be used while a code is still required. */
  resetWrites(account: string): Write[] {
    return this.#settings ? this.resetCodeWrites(account) : [];
  }

  /** Writes that reset the count after a correct code. */
  resetCodeWrites(account: string): Write[] {
    return [{ kind: "resetCounter", scope: SCOPE, value: counterKey(account) }];
  }

  /** Writes that reset the count after a password reset, if the settings allow it. */
  passwordResetWrites(account: string): Write[] {
    const { unlockOnPasswordReset = this.#unlocksByDefault } = this.#settings ?? {};
    return unlockOnPasswordReset ? this.resetWrites(account) : [];
  }

  async #count(account: string, settings: AccountLockout): Promise<void> {
    const { duration, threshold } = settings;
    const expiresAt = this.#dependencies.clock() + duration * 60_000;
    try {
      const value = counterKey(account);
      await this.#dependencies.store.write([
        { kind: "incrementCounter", scope: SCOPE, value, max: threshold, expiresAt },
      ]);
    } catch (error) {
      throw error instanceof CounterLimitError ? accountLocked(settings) : error;
    }
  }
}

function accountLocked({ duration }: AccountLockout): ProtocolError {
  return new ProtocolError(
    ErrorCode.OBJECT_NOT_FOUND,
    `Your account is locked due to multiple failed login attempts. Please try again after ${duration} minute(s)`,
  );
}
