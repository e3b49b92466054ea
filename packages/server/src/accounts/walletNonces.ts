import { randomBytes } from "node:crypto";
import { newObjectId } from "../objects/objectId.ts";
import type { Store, Write } from "../store/store.ts";
import { CLAIM } from "./parts.ts";
import { refused } from "./walletRefusal.ts";

/** What somebody signs for: to get into an account, or to add the wallet to the one that they are in. */
export type Purpose = "login" | "link";

/** Whom a nonce was given to, and what for. */
export interface NonceUse {
  purpose: Purpose;
  /** Lower-case hex. */
  address: string;
  /** EIP-155. */
  chainId: number;
}

/** The nonces of sign-in messages: made here, kept here, good for one use of the kind that they were asked for. */
export class WalletNonces {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** A new nonce, until `expiresAt` (ms since the epoch). */
  async issue(use: NonceUse, expiresAt: number): Promise<string> {
    const nonce = randomBytes(16).toString("hex");
    const owner = ownerFor(use);
    await this.#store.write([{ kind: "claim", scope: CLAIM.siweNonce, value: nonce, owner, expiresAt }]);
    return nonce;
  }

  /** Throws 101 unless a nonce was issued for this use, and can be used still. */
  async assertIssued(nonce: string, use: NonceUse): Promise<void> {
    const owner = await this.#store.ownerOf(CLAIM.siweNonce, nonce);
    if (owner === ownerFor(use)) return;
    const other = use.purpose === "login" ? "link" : "login";
    if (owner === ownerFor({ ...use, purpose: other })) {
      throw refused(
        other === "link"
          ? "the message was made for linking a wallet"
          : "the message was made for signing in",
      );
    }
    throw refused("the message's nonce is unknown, or has been used already");
  }

  /** The steps that use a nonce up; of several uses at once, those after the first fail. Kept until `expiresAt`. */
  use(nonce: string, use: NonceUse, expiresAt: number): Write[] {
    const value = { scope: CLAIM.siweNonce, value: nonce };
    return [
      // What is held by another owner than the one it was issued to stays, and fails the claim.
      { kind: "release", ...value, owner: ownerFor(use) },
      { kind: "claim", ...value, owner: newObjectId(), expiresAt },
    ];
  }
}

function ownerFor({ purpose, address, chainId }: NonceUse): string {
  return `${purpose}:${address}:${chainId}`;
}
