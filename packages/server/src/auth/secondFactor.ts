import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { Write } from "../database/store.ts";
import type { AccountLimits, LimitedRequest } from "./accountLimits.ts";
import type { Lockout } from "./lockout.ts";
import {
  createRecoveryCodes,
  type EnrolledFactor,
  enrollFactor,
  MFA,
  missingFactorError,
  type VerifiedFactor,
  verifyFactor,
} from "./providers/mfa.ts";

export interface SecondFactorDependencies {
  lockout: Lockout;
  limits: AccountLimits;
  /** Verifies a passkey of a user. Throws 101. */
  verifyPasskey(userId: string, assertion: JsonValue): Promise<{ writes: Write[] }>;
  /** Milliseconds since the epoch. */
  clock(): number;
}

/**
 * Verifies second factors: codes of an app, recovery codes, and passkeys, which every user with a second factor may use
 * instead of a code. Every attempt counts toward the lockout of its account and the limit of its IP address before it
 * is verified, so that concurrent guesses count too. The writes of a valid one reset the account's count in the
 * transaction of the change that it authorizes.
 */
export class SecondFactor {
  readonly #dependencies: SecondFactorDependencies;

  constructor(dependencies: SecondFactorDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Verifies the second factor of a sign-in, `{ token }` or `{ passkey }`. Undefined if the user has none; throws -1 if
   * it is missing.
   */
  async verifySignIn(
    userId: string,
    authData: JsonValue | undefined,
    submitted: JsonValue | undefined,
    request: LimitedRequest,
  ): Promise<VerifiedFactor | undefined> {
    const factor = factorOf(authData);
    if (!factor) return undefined;
    const proof = isJsonObject(submitted) ? submitted[MFA] : undefined;
    if (!isJsonObject(proof)) throw missingFactorError();
    return this.verify(userId, factor, proof.passkey === undefined ? proof.token : proof, request);
  }

  /**
   * Verifies a code, or a passkey as `{ passkey }`, for a change of the factor itself. Throws 141 for a wrong code, 101
   * for a wrong passkey and while the account is locked.
   */
  verify(
    userId: string,
    factor: JsonObject,
    proof: JsonValue | undefined,
    request: LimitedRequest,
  ): Promise<VerifiedFactor> {
    return this.attempt(userId, request, async () => {
      if (!isJsonObject(proof) || proof.passkey === undefined)
        return verifyFactor(userId, factor, proof, this.#dependencies.clock());
      const { writes } = await this.#dependencies.verifyPasskey(userId, proof.passkey);
      return { writes: [...writes], next: undefined };
    });
  }

  /**
   * Enrolls a new factor: an app, given a code of it, or the passkeys of the user, given one of them as `{ passkey }`.
   * Throws 141 for a wrong code, 101 for a wrong passkey and while the account is locked.
   */
  enroll(userId: string, proof: JsonObject, request: LimitedRequest): Promise<EnrolledFactor> {
    return this.attempt(userId, request, async () => {
      if (proof.passkey === undefined) return enrollFactor(userId, proof, this.#dependencies.clock());
      const { writes } = await this.#dependencies.verifyPasskey(userId, proof.passkey);
      const { recovery, hashes } = createRecoveryCodes();
      return { stored: { recovery: hashes }, recovery, writes: [...writes] };
    });
  }

  /** Counts an attempt to verify what a sign-in requires besides a password. */
  async attempt<T extends { writes: Write[] } | undefined>(
    userId: string,
    request: LimitedRequest,
    verifyCode: () => T | Promise<T>,
  ): Promise<T> {
    const { lockout, limits } = this.#dependencies;
    const refund = await limits.countAddress("failedLogIn", request);
    await lockout.countCode(userId);
    const verified = await verifyCode();
    verified?.writes.push(...lockout.resetCodeWrites(userId));
    await refund();
    return verified;
  }
}

/** The second factor that a user has enrolled, judging by their stored `authData`. */
export function factorOf(authData: JsonValue | undefined): JsonObject | undefined {
  const factor = isJsonObject(authData) ? authData[MFA] : undefined;
  return isJsonObject(factor) ? factor : undefined;
}

/** Whether a user has enrolled a second factor. */
export function hasFactor(authData: JsonValue | undefined): boolean {
  return factorOf(authData) !== undefined;
}
