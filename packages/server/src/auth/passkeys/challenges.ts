import { randomBytes } from "node:crypto";
import { newObjectId } from "../../data/objects/objectId.ts";
import type { Store, Write } from "../../database/store.ts";
import { passkeyError } from "./passkeyError.ts";

/**
 * What a challenge may be used for: signing in, proving a second factor, registering a passkey, or creating an account
 * with one. The challenges of operators are separate from those of users.
 */
type PasskeyPurpose = "login" | "factor" | "register" | "signup";

/** Purposes for which an existing passkey signs. */
export type AssertionPurpose = Extract<PasskeyPurpose, "login" | "factor">;
/** Purposes for which a passkey is created. */
export type RegistrationPurpose = Exclude<PasskeyPurpose, AssertionPurpose>;

/** The purpose of a challenge, and the account that it was issued to, or will create; none if no user is signed in. */
export interface ChallengeScope {
  purpose: PasskeyPurpose;
  account?: string | undefined;
}

export interface PasskeyChallengeOptions {
  store: Pick<Store, "write" | "getUniqueOwner">;
  /** Milliseconds since the epoch. */
  clock(): number;
  /** Lifetime of a challenge, in seconds. */
  lifetimeSeconds: number;
  /** Scope of the stored challenges. */
  scope: string;
}

/** How long a used challenge is remembered after it has expired, in ms. */
const GRACE_MS = 60_000;

/** Issues and consumes the challenges of passkeys, which are stored, so that any process of the server knows them. */
export class PasskeyChallenges {
  readonly #options: PasskeyChallengeOptions;

  constructor(options: PasskeyChallengeOptions) {
    this.#options = options;
  }

  /** The scope of the conflict of a challenge that has been used already. */
  get scope(): string {
    return this.#options.scope;
  }

  /** Issues a challenge in base64url. */
  async issue(scope: ChallengeScope): Promise<string> {
    const { store, clock, lifetimeSeconds } = this.#options;
    const value = randomBytes(32).toString("base64url");
    const expiresAt = clock() + lifetimeSeconds * 1000;
    await store.write([
      { kind: "reserveUnique", scope: this.#options.scope, value, owner: ownerOf(scope), expiresAt },
    ]);
    return value;
  }

  /** Throws 101 unless a challenge was issued for this purpose and account, and has neither expired nor been used. */
  async assertIssued(challenge: string, scope: ChallengeScope): Promise<void> {
    const isWellFormed = /^[\w-]{43}$/.test(challenge);
    const owner = isWellFormed
      ? await this.#options.store.getUniqueOwner(this.#options.scope, challenge)
      : undefined;
    if (owner === ownerOf(scope)) return;
    throw passkeyError(
      "its challenge is unknown, has expired, has been used already or is for another purpose",
    );
  }

  /** Writes that consume a challenge; of several concurrent uses, all but the first fail. */
  consume(challenge: string, scope: ChallengeScope): Write[] {
    const { clock, lifetimeSeconds } = this.#options;
    const key = { scope: this.#options.scope, value: challenge };
    const expiresAt = clock() + lifetimeSeconds * 1000 + GRACE_MS;
    return [
      // A challenge with another owner has been consumed: it is not released, so reserving it fails.
      { kind: "releaseUnique", ...key, owner: ownerOf(scope) },
      { kind: "reserveUnique", ...key, owner: newObjectId(), expiresAt },
    ];
  }
}

function ownerOf({ purpose, account = "" }: ChallengeScope): string {
  return `${purpose}:${account}`;
}
