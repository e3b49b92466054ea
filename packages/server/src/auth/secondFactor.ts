import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { Write } from "../database/store.ts";
import type { AccountLimits, LimitedRequest } from "./accountLimits.ts";
import type { Lockout } from "./lockout.ts";
import { enrollFactor, MFA, requireFactor, type VerifiedFactor, verifyFactor } from "./providers/mfa.ts";

export interface SecondFactorDependencies {
  lockout: Lockout;
  limits: AccountLimits;
  /** Milliseconds since the epoch. */
  clock(): number;
}

/**
 * Verifies second-factor codes, including recovery codes. Every code counts towards the lockout of its account and the
 * limit of its IP address before it is verified, so that concurrent guesses count too. The writes of a valid code reset
 * the account's count in the transaction of the change that it authorizes.
 */
export class SecondFactor {
  readonly #dependencies: SecondFactorDependencies;

  constructor(dependencies: SecondFactorDependencies) {
    this.#dependencies = dependencies;
  }

  /** Verifies the code of a sign-in. Undefined if the user has no second factor; throws -1 if a code is missing. */
  async verifySignIn(
    userId: string,
    authData: JsonValue | undefined,
    submitted: JsonValue | undefined,
    request: LimitedRequest,
  ): Promise<VerifiedFactor | undefined> {
    const verifyCode = () => requireFactor(userId, authData, submitted, this.#dependencies.clock());
    const isSubmitted = isJsonObject(submitted) && isJsonObject(submitted[MFA]);
    if (!hasFactor(authData) || !isSubmitted) return verifyCode();
    return this.attempt(userId, request, verifyCode);
  }

  /** Verifies the code for a change of the factor itself. Throws 141 for a wrong code, 101 while the account is locked. */
  verify(
    userId: string,
    factor: JsonObject,
    code: JsonValue | undefined,
    request: LimitedRequest,
  ): Promise<VerifiedFactor> {
    return this.attempt(userId, request, () =>
      verifyFactor(userId, factor, code, this.#dependencies.clock()),
    );
  }

  /** Enrolls a new factor, given a code of it. Throws 141 for a wrong code, 101 while the account is locked. */
  enroll(
    userId: string,
    proof: JsonObject,
    request: LimitedRequest,
  ): Promise<ReturnType<typeof enrollFactor>> {
    return this.attempt(userId, request, () => enrollFactor(userId, proof, this.#dependencies.clock()));
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

/** Whether a user has enrolled a second factor, judging by their stored `authData`. */
export function hasFactor(authData: JsonValue | undefined): boolean {
  return isJsonObject(authData) && isJsonObject(authData[MFA]);
}
