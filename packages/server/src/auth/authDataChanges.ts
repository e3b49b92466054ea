import { isDeepStrictEqual } from "node:util";
import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import { operationForbidden } from "../core/operationForbidden.ts";
import { type PendingWrite, setField, setValueOf } from "../data/objects/pendingWrite.ts";
import type { AuthDependencies } from "./authDependencies.ts";
import { lockCredentials } from "./keepSignInMethod.ts";
import type { UserPasskeys } from "./passkeys/userPasskeys.ts";
import { authDataResponseOf } from "./providers/authDataSignIn.ts";
import {
  ANONYMOUS_PROVIDER,
  type AuthProviders,
  idOf,
  unsupportedError,
  type VerifiedIdentity,
} from "./providers/authProviders.ts";
import { MFA } from "./providers/mfa.ts";
import type { SecondFactor } from "./secondFactor.ts";
import type { Sessions } from "./sessions.ts";
import { trustedIdentity } from "./triggerAuthData.ts";
import { UNIQUE_KEYS } from "./uniqueKeys.ts";
import type { VerifiedWallet } from "./verifyWallet.ts";
import { WALLET_PROVIDER, type Wallets, walletConflictError } from "./wallets.ts";

export interface AuthDataDependencies {
  dependencies: AuthDependencies;
  sessions: Sessions;
  wallets: Wallets;
  secondFactor: SecondFactor;
  providers: AuthProviders;
  passkeys: UserPasskeys;
}

export interface AuthDataChanges {
  /**
   * Applies the `authData` of an update: `{provider: proof}` links, `{provider: null}` unlinks, `{}` changes nothing.
   * Values in `trusted` are linked without verification.
   */
  apply(
    pending: PendingWrite,
    authData: JsonValue,
    request: RequestContext,
    trusted: ReadonlyMap<string, JsonObject>,
  ): Promise<void>;
}

/** Links and unlinks the sign-in methods of a user. */
export function authDataChanges({
  dependencies,
  sessions,
  wallets,
  secondFactor,
  providers,
  passkeys,
}: AuthDataDependencies): AuthDataChanges {
  return { apply };

  async function apply(
    pending: PendingWrite,
    authData: JsonValue,
    request: RequestContext,
    trusted: ReadonlyMap<string, JsonObject>,
  ): Promise<void> {
    // The client wants to remove all sign-in methods at once.
    if (authData === null) throw unsupportedError();
    if (!isJsonObject(authData))
      throw new ProtocolError(ErrorCode.INCORRECT_TYPE, "authData must be an object");
    // Two concurrent removals must not leave the account without a sign-in method.
    const unlinksProvider = Object.entries(authData).some(
      ([provider, proof]) => proof === null && provider !== WALLET_PROVIDER,
    );
    if (unlinksProvider)
      pending.additionalWrites.push(...(await lockCredentials(dependencies.store, pending.objectId)));
    const stored = await dependencies.store.getSecret(dependencies.schemaOf("_User"), pending.objectId);
    const secret = stored?.secret ?? {};
    const current = isJsonObject(secret.authData) ? secret.authData : {};
    const next: JsonObject = { ...current };
    for (const [provider, sent] of Object.entries(authData)) {
      const isNew = isJsonObject(sent) && !trusted.has(provider) && !isKnown(current[provider], sent);
      const proof = isNew ? ((await providers.identify({ [provider]: sent }))[provider] ?? null) : sent;
      if (provider === MFA) await changeFactor(pending, next, proof, request);
      else if (proof === null) {
        if (Object.hasOwn(next, provider)) await unlink(pending, provider, next, secret);
      } else if (isJsonObject(proof) && trusted.has(provider)) {
        await linkIdentity(pending, trustedIdentity(provider, proof), next);
      }
      // Clients send the known authData back with every save.
      else if (!isKnown(current[provider], proof))
        await link(pending, provider, proof, { next, current, request });
    }
    // A user who sets a username and a password is no longer anonymous.
    const hasNameAndPassword =
      pending.secret.passwordHash !== undefined && setValueOf(pending, "username") !== undefined;
    if (hasNameAndPassword && ANONYMOUS_PROVIDER in next) {
      delete next[ANONYMOUS_PROVIDER];
      pending.additionalWrites.push(providers.unlink(ANONYMOUS_PROVIDER, pending.objectId));
    }
    pending.secret.authData = next;
    pending.triggerFields = { authData: triggerAuthData(next) };
  }

  /** Parse Server verifies proofs without an ID again. */
  function isKnown(stored: JsonValue | undefined, proof: JsonValue | undefined): boolean {
    const mustVerify = dependencies.config.compatibility === "parse" && idOf(proof) === undefined;
    return !mustVerify && isSameProof(stored, proof);
  }

  async function unlink(
    pending: PendingWrite,
    provider: string,
    next: JsonObject,
    secret: JsonObject,
  ): Promise<void> {
    delete next[provider];
    // A wallet is unlinked by deleting its address.
    if (provider === WALLET_PROVIDER) return;
    pending.additionalWrites.push(providers.unlink(provider, pending.objectId));
    if (dependencies.config.compatibility === "parse") return;
    const hasPassword = (pending.secret.passwordHash ?? secret.passwordHash) !== undefined;
    // The data of a wallet stays after the wallet was unlinked.
    const others = Object.keys(next).filter((name) => name !== MFA && name !== WALLET_PROVIDER);
    const addresses = await wallets.addressesOf(pending.objectId);
    if (hasPassword || others.length > 0 || addresses.length > 0) return;
    if (await passkeys.hasAny(pending.objectId)) return;
    throw operationForbidden(
      "This is the account's only sign-in method: set a password or link another provider first.",
    );
  }

  /** Enrolls, replaces or disables a second factor. Replacing and disabling require a code of the current one. */
  async function changeFactor(
    pending: PendingWrite,
    next: JsonObject,
    proof: JsonValue | undefined,
    request: RequestContext,
  ): Promise<void> {
    const factor = next[MFA];
    const requested = isJsonObject(proof) ? proof : {};
    if (isJsonObject(factor) && request.auth.kind !== "master") {
      const verified = await secondFactor.verify(pending.objectId, factor, requested.old, request);
      pending.additionalWrites.push(...verified.writes);
    }
    if (proof === null || requested.disable === true) {
      delete next[MFA];
      return;
    }
    const enrolled = await secondFactor.enroll(pending.objectId, requested, request);
    next[MFA] = enrolled.stored;
    pending.additionalWrites.push(...enrolled.writes);
    addAuthDataResponse(pending, { [MFA]: { recovery: enrolled.recovery.join(", ") } });
  }

  async function linkIdentity(
    pending: PendingWrite,
    identity: VerifiedIdentity,
    next: JsonObject,
  ): Promise<void> {
    const { provider, stored } = identity;
    if (stored === undefined) return;
    const owner = await providers.ownerOf(provider, identity.id);
    if (owner !== undefined && owner !== pending.objectId) {
      throw new ProtocolError(ErrorCode.ACCOUNT_ALREADY_LINKED, "this auth is already used");
    }
    pending.additionalWrites.push(
      providers.unlink(provider, pending.objectId),
      ...providers.link(identity, pending.objectId),
    );
    next[provider] = stored;
  }

  async function link(
    pending: PendingWrite,
    provider: string,
    proof: JsonValue | undefined,
    { next, current, request }: { next: JsonObject; current: JsonObject; request: RequestContext },
  ): Promise<void> {
    if (provider !== WALLET_PROVIDER) {
      const user = { ...pending.original, objectId: pending.objectId, authData: triggerAuthData(current) };
      const identity = await providers.verify(provider, proof, { request, user, isSignedIn: true });
      addAuthDataResponse(pending, authDataResponseOf([identity]));
      await linkIdentity(pending, identity, next);
      return;
    }
    const wallet = await wallets.verify(proof ?? null, "link", request);
    const owner = await wallets.ownerOf(wallet.address);
    if (owner !== undefined && owner !== pending.objectId) throw walletConflictError(UNIQUE_KEYS.address);
    pending.additionalWrites.push(...wallets.consume(wallet));
    if (owner === undefined) {
      pending.additionalWrites.push(...wallets.link(wallet.address, pending.objectId));
      pending.afterCommit.push(() => sessions.invalidate({ userId: pending.objectId }));
      pending.operations.accounts = { op: "AddUnique", objects: [wallet.address] };
    }
    setField(pending, "ethAddress", wallet.address);
    next[provider] = isJsonObject(proof) ? storedProof(proof) : null;
  }
}

/** The authData that cloud code sees, without the secret of a second factor. */
export function triggerAuthData({ [MFA]: _, ...authData }: JsonObject): JsonObject {
  return authData;
}

/** Adds the responses of providers for the client to the response of a write. */
export function addAuthDataResponse(pending: PendingWrite, response: JsonObject): void {
  if (Object.keys(response).length === 0) return;
  const { authDataResponse } = pending.returnedFields;
  pending.returnedFields.authDataResponse = {
    ...(isJsonObject(authDataResponse) ? authDataResponse : {}),
    ...response,
  };
}

/** The authData of a verified wallet, with the proof if the client sent it. */
export function walletAuthData(wallet: VerifiedWallet, authData: JsonValue | undefined): JsonValue {
  const proof = isJsonObject(authData) ? authData[WALLET_PROVIDER] : undefined;
  return isJsonObject(proof) ? { ...storedProof(proof), id: wallet.address } : { id: wallet.address };
}

/** The verified fields of a proof, which are bounded in size. */
function storedProof({ id, signature, data }: JsonObject): JsonObject {
  return { id: id ?? null, signature: signature ?? null, data: data ?? null };
}

function isSameProof(known: JsonValue | undefined, proof: JsonValue | undefined): boolean {
  if (known !== undefined && isDeepStrictEqual(known, proof)) return true;
  return (
    isJsonObject(known) &&
    isJsonObject(proof) &&
    known.signature !== undefined &&
    known.signature === proof.signature
  );
}
