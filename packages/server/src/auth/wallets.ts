import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import { newObjectId } from "../data/objects/objectId.ts";
import { createRow } from "../database/serverRows.ts";
import type { Write } from "../database/store.ts";
import type { LimitedRequest } from "./accountLimits.ts";
import type { AuthDependencies } from "./authDependencies.ts";
import { type ContractWallets, createContractWallets } from "./contractWallet.ts";
import type { AuthAdapter } from "./providers/adapter.ts";
import { createSignInMessages, type SignInMessages } from "./requestMessage.ts";
import { consumeSolanaProof, type SolanaDependencies, solanaAdapter } from "./solana/solanaWallet.ts";
import { UNIQUE_KEYS } from "./uniqueKeys.ts";
import type { SiweRules } from "./validateSignInMessage.ts";
import { type VerifiedWallet, verifyWallet } from "./verifyWallet.ts";
import { type MessagePurpose, WalletNonces } from "./walletNonces.ts";
import { walletSignInError } from "./walletSignInError.ts";

/** The key of `authData` that old clients use for wallets. */
export const WALLET_PROVIDER = "moralisEth";

/** Verifies and links wallets. Only this class creates `_EthAddress` records and their unique keys. */
export class Wallets {
  readonly #dependencies: AuthDependencies;
  readonly #rules: SiweRules;
  readonly #nonces: WalletNonces;
  readonly #contracts: ContractWallets;
  readonly #messages: SignInMessages;
  /** Wallets that a request has verified, for the rules that create its user. */
  readonly #verified = new WeakMap<RequestContext, VerifiedWallet>();

  constructor(dependencies: AuthDependencies) {
    const { store, config, chains, clock, logger } = dependencies;
    const { appId, signatureSeconds, siweDomains: domains } = config;
    this.#dependencies = dependencies;
    this.#rules = { appId, signatureSeconds, domains, uri: config.publicUrl(), chainIds: chains.ids };
    this.#nonces = new WalletNonces(store);
    this.#contracts = createContractWallets(chains, clock, logger);
    this.#messages = createSignInMessages(this.#rules, this.#nonces, chains, clock);
  }

  /** The function `requestMessage`. Rejects with 142, or 155 if the rate limit of the IP address is exceeded. */
  async requestMessage(params: JsonObject, request: LimitedRequest): Promise<JsonObject> {
    await this.#dependencies.limits.countAddress("walletMessage", request);
    return this.#messages.requestMessage(params);
  }

  /** The function `requestNonce`. Rejects like `requestMessage`. */
  async requestNonce(params: JsonObject, request: LimitedRequest): Promise<JsonObject> {
    await this.#dependencies.limits.countAddress("walletMessage", request);
    return this.#messages.requestNonce(params);
  }

  /** Verifies `authData.moralisEth`. Throws 101. */
  verify(proof: JsonValue, purpose: MessagePurpose, request: LimitedRequest): Promise<VerifiedWallet> {
    const { limits } = this.#dependencies;
    const contracts: ContractWallets = {
      // The check calls a node, so unauthenticated clients are limited.
      assertSigned: async (...args) => {
        await limits.countAddress("contractWallet", request);
        return this.#contracts.assertSigned(...args);
      },
    };
    const dependencies = { rules: this.#rules, nonces: this.#nonces, contracts };
    return verifyWallet(proof, purpose, dependencies, this.#dependencies.clock());
  }

  /** Verifies `authData.moralisSol`, with the rules and nonces of other wallets. */
  solanaAdapter(): AuthAdapter {
    return solanaAdapter(this.#solana());
  }

  /** Verifies a proof like `authData.moralisSol` for signing in, and uses it up. Throws 101. */
  async consumeSolana(proof: JsonObject): Promise<void> {
    await consumeSolanaProof(proof, "login", this.#solana());
  }

  #solana(): SolanaDependencies {
    const { store, clock } = this.#dependencies;
    return { rules: this.#rules, nonces: this.#nonces, store, clock };
  }

  setVerified(request: RequestContext, wallet: VerifiedWallet): void {
    this.#verified.set(request, wallet);
  }

  getVerified(request: RequestContext): VerifiedWallet | undefined {
    return this.#verified.get(request);
  }

  ownerOf(address: string): Promise<string | undefined> {
    return this.#dependencies.store.getUniqueOwner(UNIQUE_KEYS.address, address);
  }

  /** The linked addresses of a user in lowercase hex; those in `known` come first, in that order. */
  async addressesOf(userId: string, known: JsonValue | undefined = []): Promise<string[]> {
    const linked = await this.#dependencies.store.getUniqueValues(UNIQUE_KEYS.address, userId);
    const preferred = Array.isArray(known) ? known.filter((each) => typeof each === "string") : [];
    const ordered = preferred.filter((address) => linked.includes(address));
    return [...new Set([...ordered, ...linked])];
  }

  /**
   * Writes that consume a signature and its nonce. They fail if either has been used, or if a contract wallet is on
   * another chain than before, where its address may belong to someone else.
   */
  consume({ address, signatureId, nonce, validUntil, contractChain }: VerifiedWallet): Write[] {
    const expiresAt = validUntil + 60_000;
    const chain = contractChain === undefined ? undefined : String(contractChain);
    return [
      ...(chain === undefined
        ? []
        : [
            {
              kind: "reserveUnique" as const,
              scope: UNIQUE_KEYS.contractChain,
              value: address,
              owner: chain,
            },
          ]),
      {
        kind: "reserveUnique",
        scope: UNIQUE_KEYS.signature,
        value: signatureId,
        owner: newObjectId(),
        expiresAt,
      },
      ...(nonce ? this.#nonces.consume(nonce, expiresAt) : []),
    ];
  }

  /** Writes that link an address to a user: the unique key and the record. */
  link(address: string, userId: string): Write[] {
    const fields: JsonObject = {
      user: { __type: "Pointer", className: "_User", objectId: userId },
      ACL: { [userId]: { read: true, write: true } },
    };
    const { schemaOf, clock } = this.#dependencies;
    return [
      { kind: "reserveUnique", scope: UNIQUE_KEYS.address, value: address, owner: userId },
      createRow(schemaOf("_EthAddress"), address, clock(), fields),
    ];
  }
}

/** The error if a signature or nonce has been used, or an address is linked to another user. */
export function walletConflictError(scope: string): ProtocolError {
  if (scope === UNIQUE_KEYS.signature) return walletSignInError("the signature has been used already");
  if (scope === UNIQUE_KEYS.siweNonce) return walletSignInError("the message's nonce has been used already");
  if (scope === UNIQUE_KEYS.contractChain)
    return walletSignInError("this contract wallet signs in on another chain");
  return new ProtocolError(
    ErrorCode.ACCOUNT_ALREADY_LINKED,
    "This address is already linked to another account.",
  );
}
