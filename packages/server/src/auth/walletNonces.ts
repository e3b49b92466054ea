import { randomBytes } from "node:crypto";
import { newObjectId } from "../data/objects/objectId.ts";
import type { Store, Write } from "../database/store.ts";
import { UNIQUE_KEYS } from "./uniqueKeys.ts";
import { walletSignInError } from "./walletSignInError.ts";

/** Purpose of a signed message: signing in, or linking the wallet to the current account. */
export type MessagePurpose = "login" | "link";

/** What a nonce may be used for. */
export interface NonceScope {
  purpose: MessagePurpose;
  /** Lowercase hex, or base58. */
  address: string;
  /** Chain ID (EIP-155), or the name of a cluster of Solana. */
  chainId: number | string;
}

/** Issues and consumes the single-use nonces of sign-in messages. */
export class WalletNonces {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Issues a nonce that is valid until `expiresAt` (ms since the epoch). */
  async issue(scope: NonceScope, expiresAt: number): Promise<string> {
    const nonce = randomBytes(16).toString("hex");
    const owner = ownerOf(scope);
    await this.#store.write([
      { kind: "reserveUnique", scope: UNIQUE_KEYS.siweNonce, value: nonce, owner, expiresAt },
    ]);
    return nonce;
  }

  /** Throws 101 unless a nonce was issued for this scope and is still valid. */
  async assertIssued(nonce: string, scope: NonceScope): Promise<void> {
    const owner = await this.#store.getUniqueOwner(UNIQUE_KEYS.siweNonce, nonce);
    if (owner === ownerOf(scope)) return;
    const other = scope.purpose === "login" ? "link" : "login";
    if (owner === ownerOf({ ...scope, purpose: other })) {
      throw walletSignInError(
        other === "link"
          ? "the message was made for linking a wallet"
          : "the message was made for signing in",
      );
    }
    throw walletSignInError("the message's nonce is unknown, or has been used already");
  }

  /** Writes that consume a nonce; of several concurrent uses, all but the first fail. Remembered until `expiresAt`. */
  consume(nonce: string, scope: NonceScope, expiresAt: number): Write[] {
    const value = { scope: UNIQUE_KEYS.siweNonce, value: nonce };
    return [
      // A nonce with another owner has been consumed: it is not released, so reserving it fails.
      { kind: "releaseUnique", ...value, owner: ownerOf(scope) },
      { kind: "reserveUnique", ...value, owner: newObjectId(), expiresAt },
    ];
  }
}

function ownerOf({ purpose, address, chainId }: NonceScope): string {
  return `${purpose}:${address}:${chainId}`;
}
