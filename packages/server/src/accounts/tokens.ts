import { createHash, randomBytes } from "node:crypto";
import { newObjectId } from "../objects/objectId.ts";
import { ClaimTaken, type Write } from "../store/store.ts";
import type { AccountsParts } from "./parts.ts";

/**
 * Tokens that go out by mail: kept as hashes, good once and for a time. Each kind has a scope of its
 * own, so that one cannot stand for another.
 */
export class MailTokens {
  readonly #parts: AccountsParts;
  readonly #scope: string;

  constructor(parts: AccountsParts, scope: string) {
    this.#parts = parts;
    this.#scope = scope;
  }

  /** A new token of a user, with the step that makes it good. */
  issue(userId: string, seconds: number): { token: string; write: Write } {
    const token = randomBytes(24).toString("base64url");
    const expiresAt = this.#parts.clock() + seconds * 1000;
    const value = hashOf(token);
    return { token, write: { kind: "claim", scope: this.#scope, value, owner: userId, expiresAt } };
  }

  /** The step that makes all tokens of a user worthless. */
  revoke(userId: string): Write {
    return { kind: "releaseAll", scope: this.#scope, owner: userId };
  }

  /** Whose token it is; undefined for one that is not, or not any more, good. */
  async ownerOf(token: unknown): Promise<string | undefined> {
    if (typeof token !== "string" || token.length > 200) return undefined;
    return this.#parts.store.ownerOf(this.#scope, hashOf(token));
  }

  /** Uses a token up, with all others of its user: of many who try at once, one gets the user's id. */
  async use(token: unknown): Promise<string | undefined> {
    const owner = await this.ownerOf(token);
    if (owner === undefined) return undefined;
    const used: Write = {
      kind: "claim",
      scope: `${this.#scope}.used`,
      value: hashOf(String(token)),
      owner: newObjectId(),
      expiresAt: this.#parts.clock() + USED_MS,
    };
    try {
      await this.#parts.store.write([used, this.revoke(owner)]);
      return owner;
    } catch (error) {
      if (error instanceof ClaimTaken) return undefined;
      throw error;
    }
  }
}

/** How long it is remembered that a token was used: by then it has been forgotten itself. */
const USED_MS = 60_000;

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
