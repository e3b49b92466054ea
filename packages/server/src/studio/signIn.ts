import { createHash, randomBytes } from "node:crypto";
import { ErrorCode, ProtocolError, type StudioOperator } from "@purse/protocol";
import { foldName } from "../auth/uniqueKeys.ts";
import { addressKey } from "../http/address.ts";
import type { RateLimiter } from "../limits/rateLimiter.ts";
import { tooManyRequests } from "../limits/tooManyRequests.ts";
import { counterKey } from "../store/counterKey.ts";
import { LimitReached } from "../store/store.ts";
import type { Operators, OperatorsParts } from "./operators.ts";
import type { OpenSession, StudioSessions } from "./sessions.ts";

const LOCKOUT = "_Studio.lockout";
/** Wrong passwords and codes that lock a name, whoever has it, and for how long in ms. */
const MOST_FAILURES = 10;
const LOCKED_MS = 15 * 60_000;
/** Tries from one address in a minute. */
const MOST_TRIES = 30;
const MINUTE_MS = 60_000;
const SETUP = "_Studio.setup";
const SETUP_MS = 24 * 60 * 60_000;

export interface SignInParts extends OperatorsParts {
  operators: Operators;
  sessions: StudioSessions;
  limiter: RateLimiter;
}

export interface From {
  address: string;
  userAgent: string;
}

/** How operators get in: the first one by a code that only the server's log tells, all by password and second factor. */
export class SignIn {
  readonly #parts: SignInParts;

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  /** A code by which the first operator is set up; undefined where there is or was one. */
  async setUpCode(): Promise<string | undefined> {
    const { store, operators, clock } = this.#parts;
    if (!(await operators.isEmpty())) return undefined;
    const code = randomBytes(24).toString("base64url");
    const expiresAt = clock() + SETUP_MS;
    await store.write([{ kind: "claim", scope: SETUP, value: hashOf(code), owner: "setup", expiresAt }]);
    return code;
  }

  /** Makes the first operator, an owner, and signs them in. Throws 119 for a code that is not (or no more) good. */
  async setUp(
    given: { code: string; username: unknown; password: unknown },
    from: From,
  ): Promise<{ operator: StudioOperator; session: OpenSession }> {
    await this.#assertNotTooOften(from.address);
    const { store, operators } = this.#parts;
    if ((await store.ownerOf(SETUP, hashOf(given.code))) === undefined || !(await operators.isEmpty())) {
      throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "The setup code is not valid.", 403);
    }
    const operator = await operators.add({ ...given, role: "owner" }, true, { ip: from.address });
    await store.write([{ kind: "releaseAll", scope: SETUP, owner: "setup" }]);
    const session = await this.#begin(operator.id, from);
    return { operator, session };
  }

  /**
   * Throws 101 for a wrong name or password alike, 211 where a code is wanted too, 141 for a wrong one, 155 while
   * a name is locked or an address tries too often.
   */
  async signIn(
    given: { username: string; password: string; code: string | undefined },
    from: From,
  ): Promise<{ operator: StudioOperator; session: OpenSession }> {
    await this.#assertNotTooOften(from.address);
    const name = foldName(given.username);
    await this.#assertOpen(name);
    const { operators, store } = this.#parts;
    const id = await operators.idOf(given.username);
    const isRight = await operators.hasPassword(id, given.password, { ip: from.address });
    const operator = id === undefined ? undefined : await operators.get(id);
    if (!isRight || !operator || operator.isDisabled) {
      await this.#fail(name);
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Invalid username/password.", 401);
    }
    // Guesses that were sent beside this one may have locked the name meanwhile.
    await this.#assertOpen(name);
    if (operator.hasSecondFactor) {
      if (given.code === undefined) throw new SecondFactorWanted();
      await this.#tryCode(name, () => operators.useFactor(operator.id, given.code));
    }
    await store.write([{ kind: "uncount", scope: LOCKOUT, value: counterKey(name) }]);
    return { operator, session: await this.#begin(operator.id, from) };
  }

  /** Judges the password of somebody who is signed in, and counts wrong ones like those at the door. Throws 101. */
  async assertPassword(operator: StudioOperator, password: string, from: From): Promise<void> {
    const name = foldName(operator.username);
    await this.#assertOpen(name);
    if (await this.#parts.operators.hasPassword(operator.id, password, { ip: from.address })) return;
    await this.#fail(name);
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The password is wrong.", 403);
  }

  /** Ends the second factor of somebody who is signed in and shows a code of it. Throws 141, or 155 while locked. */
  async removeFactor(operator: StudioOperator, code: unknown): Promise<void> {
    const { operators } = this.#parts;
    await this.#tryCode(foldName(operator.username), () => operators.useFactor(operator.id, code));
    await operators.removeFactor(operator.id);
  }

  /** Puts a second factor in force whose code is shown; answers the recovery codes. Throws 119, 141, or 155 while locked. */
  async confirmFactor(operator: StudioOperator, code: unknown): Promise<string[]> {
    const { operators } = this.#parts;
    await operators.assertNoFactor(operator.id);
    return this.#tryCode(foldName(operator.username), () => operators.confirmFactor(operator.id, code));
  }

  /** Lets a name in again at once. */
  async unlock(username: string): Promise<void> {
    await this.#parts.store.write([
      { kind: "uncount", scope: LOCKOUT, value: counterKey(foldName(username)) },
    ]);
  }

  async #begin(operatorId: string, from: From): Promise<OpenSession> {
    const { sessions, operators, store } = this.#parts;
    const { session, writes } = sessions.begin(operatorId, from);
    await store.write([
      ...(await sessions.endExpired(operatorId)),
      ...writes,
      ...operators.signedIn(operatorId),
    ]);
    return session;
  }

  async #assertOpen(name: string): Promise<void> {
    if ((await this.#parts.store.countOf(LOCKOUT, counterKey(name))) >= MOST_FAILURES) throw locked();
  }

  async #fail(name: string): Promise<void> {
    const until = this.#parts.clock() + LOCKED_MS;
    try {
      await this.#parts.store.write([
        { kind: "count", scope: LOCKOUT, value: counterKey(name), most: MOST_FAILURES, until },
      ]);
    } catch (error) {
      throw error instanceof LimitReached ? locked() : error;
    }
  }

  /**
   * Checks a code. It is counted before, as checking takes no time: of guesses sent side by side no more are looked
   * at than may be wrong.
   */
  async #tryCode<T>(name: string, check: () => Promise<T>): Promise<T> {
    await this.#fail(name);
    const result = await check();
    await this.#parts.store.write([{ kind: "uncount", scope: LOCKOUT, value: counterKey(name) }]);
    return result;
  }

  async #assertNotTooOften(address: string): Promise<void> {
    const { used, resetsInMs } = await this.#parts.limiter.count(`studio ${addressKey(address)}`, MINUTE_MS);
    if (used > MOST_TRIES) throw tooManyRequests(resetsInMs);
  }
}

/** The password was right, and it is not enough. */
export class SecondFactorWanted extends ProtocolError {
  constructor() {
    super(ErrorCode.MFA_TOKEN_REQUIRED, "A code of the second factor is needed.", 401);
  }
}

function hashOf(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}

function locked(): ProtocolError {
  return tooManyRequests(LOCKED_MS, "Too many wrong passwords: wait 15 minutes.");
}
