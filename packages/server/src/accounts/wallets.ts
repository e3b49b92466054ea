import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../caller.ts";
import { newObjectId } from "../objects/objectId.ts";
import type { Write } from "../store/store.ts";
import { type AccountsParts, CLAIM } from "./parts.ts";
import { type VerifiedWallet, verifyWallet } from "./walletMessage.ts";

/** The name under which old clients sign in with a wallet. */
export const WALLET_PROVIDER = "moralisEth";

/** Wallets and the users that they belong to. `_EthAddress` records and claims are made here and nowhere else. */
export class Wallets {
  readonly #parts: AccountsParts;
  /** Wallets that a request has proved, for the rules that create its user. */
  readonly #verified = new WeakMap<RequestContext, VerifiedWallet>();

  constructor(parts: AccountsParts) {
    this.#parts = parts;
  }

  verify(proof: JsonValue): Promise<VerifiedWallet> {
    return verifyWallet(proof, this.#parts.config, this.#parts.clock());
  }

  remember(request: RequestContext, wallet: VerifiedWallet): void {
    this.#verified.set(request, wallet);
  }

  verifiedBy(request: RequestContext): VerifiedWallet | undefined {
    return this.#verified.get(request);
  }

  ownerOf(address: string): Promise<string | undefined> {
    return this.#parts.store.ownerOf(CLAIM.address, address);
  }

  /** The addresses of a user, those in `known` first and in that order. Lower-case hex. */
  async addressesOf(userId: string, known: JsonValue | undefined = []): Promise<string[]> {
    const claimed = await this.#parts.store.claimsOf(CLAIM.address, userId);
    const listed = Array.isArray(known) ? known.filter((each) => typeof each === "string") : [];
    const ordered = listed.filter((address) => claimed.includes(address));
    return [...new Set([...ordered, ...claimed])];
  }

  /** The step that uses a signature up; it fails where the signature has been used. */
  use(wallet: VerifiedWallet): Write {
    return {
      kind: "claim",
      scope: CLAIM.signature,
      value: wallet.signatureId,
      owner: newObjectId(),
      expiresAt: wallet.staleAt + 60_000,
    };
  }

  /** The steps that make an address a user's own: the claim and its record. */
  take(address: string, userId: string): Write[] {
    const at = new Date(this.#parts.clock()).toISOString();
    const object: JsonObject = {
      objectId: address,
      createdAt: at,
      updatedAt: at,
      user: { __type: "Pointer", className: "_User", objectId: userId },
      ACL: { [userId]: { read: true, write: true } },
    };
    const schema = this.#parts.schemaOf("_EthAddress");
    return [
      { kind: "claim", scope: CLAIM.address, value: address, owner: userId },
      { kind: "create", schema, id: address, at, object },
    ];
  }
}

/** The error where a signature or an address is somebody's already. */
export function walletTaken(scope: string): ProtocolError {
  return scope === CLAIM.signature
    ? new ProtocolError(
        ErrorCode.OBJECT_NOT_FOUND,
        "Wallet sign-in was refused: the signature has been used already.",
      )
    : new ProtocolError(
        ErrorCode.ACCOUNT_ALREADY_LINKED,
        "This address is already linked to another account.",
      );
}
