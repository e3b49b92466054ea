import { createHash, randomBytes } from "node:crypto";
import { newObjectId } from "../data/objects/objectId.ts";
import { UniqueConstraintError, type Write } from "../database/store.ts";
import type { AuthDependencies } from "./authDependencies.ts";

/**
 * Tokens that are sent by email, expire, and can be consumed once; only their hashes are stored. Each kind of token has
 * its own scope, so that one cannot be used as another.
 */
export class EmailTokens {
  readonly #dependencies: AuthDependencies;
  readonly #scope: string;

  constructor(dependencies: AuthDependencies, scope: string) {
    this.#dependencies = dependencies;
    this.#scope = scope;
  }

  /** Creates a token of a user, with the write that stores it. */
  issue(userId: string, seconds: number): { token: string; write: Write } {
    const token = randomBytes(24).toString("hex");
    const expiresAt = this.#dependencies.clock() + seconds * 1000;
    const value = hashOf(token);
    return { token, write: { kind: "reserveUnique", scope: this.#scope, value, owner: userId, expiresAt } };
  }

  /** The write that revokes all tokens of a user. */
  revoke(userId: string): Write {
    return { kind: "releaseAllUnique", scope: this.#scope, owner: userId };
  }

  /** The ID of the user that a token was issued to; undefined if the token is not valid. */
  async ownerOf(token: unknown): Promise<string | undefined> {
    if (typeof token !== "string" || token.length > MAX_LENGTH) return undefined;
    return this.#dependencies.store.getUniqueOwner(this.#scope, hashOf(token));
  }

  /** The ID of the user whose token was consumed and is still remembered. */
  async consumerOf(token: unknown): Promise<string | undefined> {
    if (typeof token !== "string" || token.length > MAX_LENGTH) return undefined;
    return this.#dependencies.store.getUniqueOwner(`${this.#scope}.consumed`, hashOf(token));
  }

  /**
   * Consumes a token and revokes the user's others. Of several concurrent attempts, one gets the user's ID. The token is
   * remembered for `rememberedSeconds`, so that `consumerOf` recognizes a link that is opened again.
   */
  async consume(token: unknown, rememberedSeconds: number): Promise<string | undefined> {
    const owner = await this.ownerOf(token);
    if (owner === undefined) return undefined;
    const now = this.#dependencies.clock();
    const value = hashOf(String(token));
    const used: Write = {
      kind: "reserveUnique",
      scope: `${this.#scope}.used`,
      value,
      owner: newObjectId(),
      expiresAt: now + USED_TTL_MS,
    };
    const expiresAt = now + rememberedSeconds * 1000;
    const consumed: Write = {
      kind: "reserveUnique",
      scope: `${this.#scope}.consumed`,
      value,
      owner,
      expiresAt,
    };
    try {
      await this.#dependencies.store.write([used, this.revoke(owner), consumed]);
      return owner;
    } catch (error) {
      if (error instanceof UniqueConstraintError) return undefined;
      throw error;
    }
  }
}

/** Longer strings are not tokens. */
const MAX_LENGTH = 200;

/** How long a token cannot be consumed again, in ms. By then its revocation is visible everywhere. */
const USED_TTL_MS = 60_000;

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
