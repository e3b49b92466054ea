import { randomBytes } from "node:crypto";
import { newObjectId } from "../data/objects/objectId.ts";
import type { Store, Write } from "../database/store.ts";
import { UNIQUE_KEYS } from "./uniqueKeys.ts";
import { walletSignInError } from "./walletSignInError.ts";

/** Purpose of a signed message: signing in, or linking the wallet to the current account. */
export type MessagePurpose = "login" | "link";

/** What a nonce is used for. */
export interface NonceScope {
  purpose: MessagePurpose;
  /** Lowercase hex, or base58. */
  address: string;
  /** Chain ID (EIP-155), or the name of a cluster of Solana. */
  chainId: number | string;
}

/** A nonce that has been issued for a wallet, or for any wallet. */
export interface IssuedNonce {
  value: string;
  /** The owner of its unique key while it has not been used. */
  owner: string;
}

/** Issues and consumes the single-use nonces of sign-in messages. */
export class WalletNonces {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Issues a nonce that is valid until `expiresAt` (ms since the epoch); without a wallet, any may use it. */
  async issue(scope: NonceScope | Pick<NonceScope, "purpose">, expiresAt: number): Promise<string> {
    const nonce = randomBytes(16).toString("hex");
    const owner = ownerOf(scope);
    await this.#store.write([
      { kind: "reserveUnique", scope: UNIQUE_KEYS.siweNonce, value: nonce, owner, expiresAt },
    ]);
    return nonce;
  }

  /** Throws 101 unless a nonce was issued for this scope and is still valid. */
  async assertIssued(value: string, scope: NonceScope): Promise<IssuedNonce> {
    const owner = await this.#store.getUniqueOwner(UNIQUE_KEYS.siweNonce, value);
    if (isOwner(owner, scope)) return { value, owner };
    const other = scope.purpose === "login" ? "link" : "login";
    if (isOwner(owner, { ...scope, purpose: other })) {
      throw walletSignInError(
        other === "link"
          ? "the message was made for linking a wallet"
          : "the message was made for signing in",
      );
    }
    throw walletSignInError("the message's nonce is unknown, or has been used already");
  }

  /** Writes that consume a nonce; of several concurrent uses, all but the first fail. Remembered until `expiresAt`. */
  consume({ value, owner }: IssuedNonce, expiresAt: number): Write[] {
    const key = { scope: UNIQUE_KEYS.siweNonce, value };
    return [
      // A nonce with another owner has been consumed: it is not released, so reserving it fails.
      { kind: "releaseUnique", ...key, owner },
      { kind: "reserveUnique", ...key, owner: newObjectId(), expiresAt },
    ];
  }
}

function isOwner(owner: string | undefined, scope: NonceScope): owner is string {
  return owner === ownerOf(scope) || owner === ownerOf({ purpose: scope.purpose });
}

function ownerOf(scope: NonceScope | Pick<NonceScope, "purpose">): string {
  return "address" in scope ? `${scope.purpose}:${scope.address}:${scope.chainId}` : `${scope.purpose}:*`;
}
