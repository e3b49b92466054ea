import { createHash, randomBytes } from "node:crypto";
import { newObjectId } from "../data/objects/objectId.ts";
import { UniqueConstraintError, type Write } from "../database/store.ts";
import type { AuthDependencies } from "./types.ts";

/**
 * Single-use tokens that are sent by email and expire; only their hashes are stored. Each kind of token has its own
 * scope, so that one cannot be used as another.
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
    const token = randomBytes(24).toString("base64url");
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
    if (typeof token !== "string" || token.length > 200) return undefined;
    return this.#dependencies.store.getUniqueOwner(this.#scope, hashOf(token));
  }

  /** Consumes a token and revokes the user's others. Of several concurrent attempts, one gets the user's ID. */
  async consume(token: unknown): Promise<string | undefined> {
    const owner = await this.ownerOf(token);
    if (owner === undefined) return undefined;
    const used: Write = {
      kind: "reserveUnique",
      scope: `${this.#scope}.used`,
      value: hashOf(String(token)),
      owner: newObjectId(),
      expiresAt: this.#dependencies.clock() + USED_TTL_MS,
    };
    try {
      await this.#dependencies.store.write([used, this.revoke(owner)]);
      return owner;
    } catch (error) {
      if (error instanceof UniqueConstraintError) return undefined;
      throw error;
    }
  }
}

/** How long a consumed token is remembered, in ms. By then its revocation is visible everywhere. */
const USED_TTL_MS = 60_000;

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
