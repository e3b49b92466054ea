import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../caller.ts";
import { newObjectId } from "../objects/objectId.ts";
import type { Write } from "../store/store.ts";
import type { LimitedRequest } from "./accountLimits.ts";
import { type ContractWallets, createContractWallets } from "./contractWallet.ts";
import { type AccountsParts, CLAIM } from "./parts.ts";
import { createRequestMessage } from "./requestMessage.ts";
import type { SiweRules } from "./siwe.ts";
import { type VerifiedWallet, verifyWallet } from "./walletMessage.ts";
import { type Purpose, WalletNonces } from "./walletNonces.ts";
import { refused } from "./walletRefusal.ts";

/** The name under which old clients sign in with a wallet. */
export const WALLET_PROVIDER = "moralisEth";

/** Wallets and the users that they belong to. `_EthAddress` records and claims are made here and nowhere else. */
export class Wallets {
  readonly #parts: AccountsParts;
  readonly #rules: SiweRules;
  readonly #nonces: WalletNonces;
  readonly #contracts: ContractWallets;
  readonly #requestMessage: (params: JsonObject) => Promise<JsonObject>;
  /** Wallets that a request has proved, for the rules that create its user. */
  readonly #verified = new WeakMap<RequestContext, VerifiedWallet>();

  constructor(parts: AccountsParts) {
    const { store, config, chains, clock, log } = parts;
    const { appId, signatureSeconds, siweDomains: domains } = config;
    this.#parts = parts;
    this.#rules = { appId, signatureSeconds, domains, uri: config.publicUrl(), chainIds: chains.ids };
    this.#nonces = new WalletNonces(store);
    this.#contracts = createContractWallets(chains, clock, log);
    this.#requestMessage = createRequestMessage(this.#rules, this.#nonces, chains, clock);
  }

  /** Answers `requestMessage`. Rejects with ProtocolError 142, or 155 for an address that asks too often. */
  async requestMessage(params: JsonObject, request: LimitedRequest): Promise<JsonObject> {
    await this.#parts.limits.countAddress("walletMessage", request);
    return this.#requestMessage(params);
  }

  /** Throws 101 unless `authData.moralisEth` proves a wallet to somebody who wants this. */
  verify(proof: JsonValue, purpose: Purpose, request: LimitedRequest): Promise<VerifiedWallet> {
    const { limits } = this.#parts;
    const contracts: ContractWallets = {
      // A node is asked: strangers would keep it busy.
      assertSigned: async (...args) => {
        await limits.countAddress("contractWallet", request);
        return this.#contracts.assertSigned(...args);
      },
    };
    const parts = { rules: this.#rules, nonces: this.#nonces, contracts };
    return verifyWallet(proof, purpose, parts, this.#parts.clock());
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

  /**
   * The steps that use a signature and its nonce up; they fail where either has been used, and where the contract
   * that vouches for it is on another chain than before: its address may be somebody else's there.
   */
  use({ address, signatureId, nonce, staleAt, contractChain }: VerifiedWallet): Write[] {
    const expiresAt = staleAt + 60_000;
    const chain = contractChain === undefined ? undefined : String(contractChain);
    return [
      ...(chain === undefined
        ? []
        : [{ kind: "claim" as const, scope: CLAIM.contractChain, value: address, owner: chain }]),
      { kind: "claim", scope: CLAIM.signature, value: signatureId, owner: newObjectId(), expiresAt },
      ...(nonce ? this.#nonces.use(nonce.value, nonce.use, expiresAt) : []),
    ];
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

/** The error where a signature, a nonce or an address is somebody's already. */
export function walletTaken(scope: string): ProtocolError {
  if (scope === CLAIM.signature) return refused("the signature has been used already");
  if (scope === CLAIM.siweNonce) return refused("the message's nonce has been used already");
  if (scope === CLAIM.contractChain) return refused("this contract wallet signs in by another chain");
  return new ProtocolError(
    ErrorCode.ACCOUNT_ALREADY_LINKED,
    "This address is already linked to another account.",
  );
}
