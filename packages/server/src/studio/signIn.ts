import { createHash, randomBytes } from "node:crypto";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { foldName } from "../auth/uniqueKeys.ts";
import { addressKey } from "../core/http/address.ts";
import type { RateLimiter } from "../core/limits/rateLimiter.ts";
import { tooManyRequests } from "../core/limits/tooManyRequests.ts";
import { operationForbidden } from "../core/operationForbidden.ts";
import { counterKey } from "../database/counterKey.ts";
import { CounterLimitError } from "../database/store.ts";
import type { StudioOperator } from "../studioApi/access.ts";
import type { OperatorPasskeys } from "./operatorPasskeys.ts";
import type { OperatorDependencies, Operators } from "./operators.ts";
import type { OpenSession, StudioSessions } from "./sessions.ts";

const LOCKOUT_SCOPE = "_Studio.lockout";
/**
 * Number of wrong passwords and codes that lock a username, whether or not it exists, and duration of the lock in ms.
 */
const MAX_FAILURES = 10;
const LOCKOUT_MS = 15 * 60_000;
/** Maximum number of attempts per minute and address. */
const MAX_ATTEMPTS_PER_MINUTE = 30;
const MINUTE_MS = 60_000;
const SETUP_SCOPE = "_Studio.setup";
const SETUP_CODE_MS = 24 * 60 * 60_000;

export interface SignInDependencies extends OperatorDependencies {
  operators: Operators;
  sessions: StudioSessions;
  passkeys: OperatorPasskeys;
  limiter: RateLimiter;
}

/** Proves the second factor: a code, or what a passkey has signed. */
export interface FactorProof {
  code?: string | undefined;
  passkey?: JsonObject | undefined;
}

export interface ClientInfo {
  address: string;
  userAgent: string;
}

/** Sign-in of operators: the first one by a setup code from the server's log, later by password and second factor. */
export class SignIn {
  readonly #dependencies: SignInDependencies;

  constructor(dependencies: SignInDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns a code for setting up the first operator; undefined if there has been one. */
  async createSetupCode(): Promise<string | undefined> {
    const { store, operators, clock } = this.#dependencies;
    if (!(await operators.isEmpty())) return undefined;
    const code = randomBytes(24).toString("base64url");
    const expiresAt = clock() + SETUP_CODE_MS;
    await store.write([
      { kind: "reserveUnique", scope: SETUP_SCOPE, value: hashCode(code), owner: "setup", expiresAt },
    ]);
    return code;
  }

  /** Creates the first operator, as an owner, and signs in. Throws 119 if the code is invalid or expired. */
  async setUp(
    input: { code: string; username: unknown; password: unknown },
    client: ClientInfo,
  ): Promise<{ operator: StudioOperator; session: OpenSession }> {
    await this.#assertRateLimit(client.address);
    const { store, operators } = this.#dependencies;
    if (
      (await store.getUniqueOwner(SETUP_SCOPE, hashCode(input.code))) === undefined ||
      !(await operators.isEmpty())
    ) {
      throw operationForbidden("The setup code is not valid.", 403);
    }
    const operator = await operators.add({ ...input, role: "owner" }, true, { ip: client.address });
    await store.write([{ kind: "releaseAllUnique", scope: SETUP_SCOPE, owner: "setup" }]);
    const session = await this.#createSession(operator.id, client);
    return { operator, session };
  }

  /**
   * Throws 101 for a wrong name or password, 211 if a code is required, 141 for a wrong code, 155 while the name is
   * locked or an address makes too many attempts.
   */
  async signIn(
    input: { username: string; password: string } & FactorProof,
    client: ClientInfo,
  ): Promise<{ operator: StudioOperator; session: OpenSession }> {
    await this.#assertRateLimit(client.address);
    const name = foldName(input.username);
    await this.#assertNotLocked(name);
    const { operators, store } = this.#dependencies;
    const id = await operators.findId(input.username);
    const isPasswordCorrect = await operators.hasPassword(id, input.password, { ip: client.address });
    const operator = id === undefined ? undefined : await operators.get(id);
    if (!isPasswordCorrect || !operator || operator.isDisabled) {
      await this.#recordFailure(name);
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Invalid username/password.", 401);
    }
    // Concurrent attempts may have locked the name in the meantime.
    await this.#assertNotLocked(name);
    if (operator.hasSecondFactor) {
      if (input.code === undefined && input.passkey === undefined) throw new SecondFactorRequiredError();
      await this.#verifyCode(name, () => this.#useFactor(operator.id, input));
    }
    await store.write([{ kind: "resetCounter", scope: LOCKOUT_SCOPE, value: counterKey(name) }]);
    return { operator, session: await this.#createSession(operator.id, client) };
  }

  /** Options of a passkey for a sign-in or a second factor. Throws 155 if an address makes too many attempts. */
  async passkeyOptions(purpose: "login" | "factor", client: ClientInfo): Promise<JsonObject> {
    await this.#assertRateLimit(client.address);
    return this.#dependencies.passkeys.options(purpose);
  }

  /**
   * Signs in with a passkey, which is a second factor too: its authenticator has verified its user. Throws 101 for a
   * wrong one, 155 while the name is locked or an address makes too many attempts.
   */
  async signInWithPasskey(
    passkey: JsonObject,
    client: ClientInfo,
  ): Promise<{ operator: StudioOperator; session: OpenSession }> {
    await this.#assertRateLimit(client.address);
    const { operators, passkeys } = this.#dependencies;
    const operator = await operators.get(await passkeys.identify(passkey));
    if (!operator || operator.isDisabled) {
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The operator cannot sign in.", 401);
    }
    await this.#verifyCode(foldName(operator.username), () => passkeys.use(operator.id, "login", passkey));
    return { operator, session: await this.#createSession(operator.id, client) };
  }

  /**
   * Verifies the password of a signed-in operator, and the second factor if there is one, before a passkey is added,
   * which replaces both. Throws 101, 141, 211, or 155 while locked.
   */
  async assertIdentity(
    operator: StudioOperator,
    { password, ...proof }: { password: string } & FactorProof,
    client: ClientInfo,
  ): Promise<void> {
    await this.assertPassword(operator, password, client);
    if (!operator.hasSecondFactor) return;
    if (proof.code === undefined && proof.passkey === undefined) throw new SecondFactorRequiredError();
    await this.#verifyCode(foldName(operator.username), () => this.#useFactor(operator.id, proof));
  }

  /** Verifies the password of a signed-in operator; wrong ones count as failed sign-ins. Throws 101. */
  async assertPassword(operator: StudioOperator, password: string, client: ClientInfo): Promise<void> {
    const name = foldName(operator.username);
    await this.#assertNotLocked(name);
    if (await this.#dependencies.operators.hasPassword(operator.id, password, { ip: client.address })) return;
    await this.#recordFailure(name);
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The password is wrong.", 403);
  }

  /** Removes the second factor of a signed-in operator who provides a code or a passkey. Throws 141, or 155 while locked. */
  async removeFactor(operator: StudioOperator, proof: FactorProof): Promise<void> {
    const { operators } = this.#dependencies;
    await this.#verifyCode(foldName(operator.username), () => this.#useFactor(operator.id, proof));
    await operators.removeFactor(operator.id);
  }

  /** Activates a second factor by a code of it and returns the recovery codes. Throws 119, 141, or 155 while locked. */
  async confirmFactor(operator: StudioOperator, code: unknown): Promise<string[]> {
    const { operators } = this.#dependencies;
    await operators.assertNoFactor(operator.id);
    return this.#verifyCode(foldName(operator.username), () => operators.confirmFactor(operator.id, code));
  }

  /** Unlocks a username. */
  async unlock(username: string): Promise<void> {
    await this.#dependencies.store.write([
      { kind: "resetCounter", scope: LOCKOUT_SCOPE, value: counterKey(foldName(username)) },
    ]);
  }

  /** Verifies and consumes a code, or a passkey instead of it. */
  async #useFactor(operatorId: string, { code, passkey }: FactorProof): Promise<void> {
    const { operators, passkeys } = this.#dependencies;
    if (passkey === undefined) await operators.useFactor(operatorId, code);
    else await passkeys.use(operatorId, "factor", passkey);
  }

  async #createSession(operatorId: string, client: ClientInfo): Promise<OpenSession> {
    const { sessions, operators, store } = this.#dependencies;
    const { session, writes } = sessions.create(operatorId, client);
    await store.write([
      ...(await sessions.endExpired(operatorId)),
      ...writes,
      ...operators.signInWrites(operatorId),
    ]);
    return session;
  }

  async #assertNotLocked(name: string): Promise<void> {
    if ((await this.#dependencies.store.getCounter(LOCKOUT_SCOPE, counterKey(name))) >= MAX_FAILURES)
      throw lockedError();
  }

  async #recordFailure(name: string): Promise<void> {
    const expiresAt = this.#dependencies.clock() + LOCKOUT_MS;
    try {
      await this.#dependencies.store.write([
        {
          kind: "incrementCounter",
          scope: LOCKOUT_SCOPE,
          value: counterKey(name),
          max: MAX_FAILURES,
          expiresAt,
        },
      ]);
    } catch (error) {
      throw error instanceof CounterLimitError ? lockedError() : error;
    }
  }

  /** Verifies a code. The attempt is counted before the check, so that concurrent guesses cannot exceed the limit. */
  async #verifyCode<T>(name: string, check: () => Promise<T>): Promise<T> {
    await this.#recordFailure(name);
    const result = await check();
    await this.#dependencies.store.write([
      { kind: "resetCounter", scope: LOCKOUT_SCOPE, value: counterKey(name) },
    ]);
    return result;
  }

  async #assertRateLimit(address: string): Promise<void> {
    const { used, resetsInMs } = await this.#dependencies.limiter.count(
      `studio ${addressKey(address)}`,
      MINUTE_MS,
    );
    if (used > MAX_ATTEMPTS_PER_MINUTE) throw tooManyRequests(resetsInMs);
  }
}

/** The password is correct, but a second factor is required. */
export class SecondFactorRequiredError extends ProtocolError {
  constructor() {
    super(ErrorCode.MFA_TOKEN_REQUIRED, "A code of the second factor is needed.", 401);
  }
}

function hashCode(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}

function lockedError(): ProtocolError {
  return tooManyRequests(LOCKOUT_MS, "Too many wrong passwords. Wait 15 minutes.");
}
