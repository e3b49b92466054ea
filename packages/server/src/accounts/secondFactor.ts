import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { Write } from "../store/store.ts";
import type { AccountLimits, LimitedRequest } from "./accountLimits.ts";
import { assertFactor, MFA, setUpFactor, type UsedFactor, useFactor } from "./auth/mfa.ts";
import type { Lockout } from "./lockout.ts";

export interface SecondFactorDependencies {
  lockout: Lockout;
  limits: AccountLimits;
  /** Milliseconds since the epoch. */
  clock(): number;
}

/**
 * Verifies codes of a second factor, recovery codes included. Every code is counted towards the lockout of its account
 * and the limit of its address before it is verified, so that concurrent guesses are counted too. The steps of a valid
 * code reset the account's count, in the transaction of the change that it authorizes.
 */
export class SecondFactor {
  readonly #parts: SecondFactorDependencies;

  constructor(parts: SecondFactorDependencies) {
    this.#parts = parts;
  }

  /** For a sign-in. Undefined where the user has no second factor; throws -1 where they have one and show no code. */
  async assert(
    userId: string,
    authData: JsonValue | undefined,
    shown: JsonValue | undefined,
    request: LimitedRequest,
  ): Promise<UsedFactor | undefined> {
    const check = () => assertFactor(userId, authData, shown, this.#parts.clock());
    const isShown = isJsonObject(shown) && isJsonObject(shown[MFA]);
    if (!hasFactor(authData) || !isShown) return check();
    return this.#attempt(userId, request, check);
  }

  /** For a change of the factor itself. Throws 141 for a wrong code, 101 while the account is locked. */
  use(
    userId: string,
    factor: JsonObject,
    code: JsonValue | undefined,
    request: LimitedRequest,
  ): Promise<UsedFactor> {
    return this.#attempt(userId, request, () => useFactor(userId, factor, code, this.#parts.clock()));
  }

  /** For a new factor, of which a code has to be shown. Throws 141, or 101 while the account is locked. */
  setUp(userId: string, proof: JsonObject, request: LimitedRequest): Promise<ReturnType<typeof setUpFactor>> {
    return this.#attempt(userId, request, () => setUpFactor(userId, proof, this.#parts.clock()));
  }

  async #attempt<T extends { writes: Write[] } | undefined>(
    userId: string,
    request: LimitedRequest,
    check: () => T,
  ): Promise<T> {
    const { lockout, limits } = this.#parts;
    const refund = await limits.countAddress("failedLogIn", request);
    await lockout.countCode(userId);
    const used = check();
    used?.writes.push(...lockout.clearCodes(userId));
    await refund();
    return used;
  }
}

/** Whether a user has set up a second factor; `authData` as it is kept. */
export function hasFactor(authData: JsonValue | undefined): boolean {
  return isJsonObject(authData) && isJsonObject(authData[MFA]);
}
