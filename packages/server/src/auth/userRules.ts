import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import { newObjectId } from "../data/objects/objectId.ts";
import { extractField, type PendingWrite, setField, setValueOf } from "../data/objects/pendingWrite.ts";
import type { ClassRules } from "../data/objects/rules.ts";
import { SYSTEM_CLASS_FIELDS } from "../data/schema/systemClasses.ts";
import type { AccountEmails } from "./accountEmails.ts";
import { type AuthDataDependencies, authDataChanges, walletAuthData } from "./authDataChanges.ts";
import { credentialsConflictError } from "./credentials.ts";
import { assertPassword, passwordSecret } from "./passwordPolicy.ts";
import { identityConflictError } from "./providers/authProviders.ts";
import { factorConflictError, MFA } from "./providers/mfa.ts";
import { UNIQUE_KEYS } from "./uniqueKeys.ts";
import { reserveEmail, reserveUsername } from "./userIdentifiers.ts";
import { WALLET_PROVIDER, walletConflictError } from "./wallets.ts";

/** Fields that are never stored in the object. Values that clients send are ignored. */
const SERVER_FIELDS = ["sessionToken", "passwordHash"] as const;

export interface UserRuleDependencies extends AuthDataDependencies {
  email: AccountEmails;
}

/** Rules of `_User`: credentials are not stored in the object, names and email addresses are unique, users write only themselves. */
export function userRules(all: UserRuleDependencies): ClassRules {
  const { dependencies, sessions, wallets, email, providers } = all;
  const signInMethods = authDataChanges(all);
  return {
    ...SYSTEM_CLASS_FIELDS._User,
    restrictedFields: ["email", "emailVerified"],
    derivedFields: [...SERVER_FIELDS, "password", "authData", "emailVerified", "accounts", "ethAddress"],
    normalize,
    beforeWrite: (_operation, objectId, request) => assertOwnUser(objectId, request),
    beforeCreate,
    beforeUpdate,
    beforeDelete,
    serialize: onRead,
    onUniqueConstraint(conflict) {
      if (conflict.scope === UNIQUE_KEYS.username) {
        return new ProtocolError(ErrorCode.USERNAME_TAKEN, "Account already exists for this username.");
      }
      if (conflict.scope === UNIQUE_KEYS.email) {
        return new ProtocolError(ErrorCode.EMAIL_TAKEN, "Account already exists for this email address.");
      }
      if (conflict.scope === UNIQUE_KEYS.credentials) return credentialsConflictError();
      return (
        identityConflictError(conflict.scope) ??
        factorConflictError(conflict.scope) ??
        walletConflictError(conflict.scope)
      );
    },
  };

  /** Replaces the wallet addresses that a client sends with the verified ones before triggers run. */
  async function normalize(pending: PendingWrite, request: RequestContext): Promise<void> {
    dropServerFields(pending);
    normalizeEmailVerified(pending, request);
    const { operations, original } = pending;
    if (!("accounts" in operations || "ethAddress" in operations)) return;
    const wallet = wallets.getVerified(request);
    if (!original) setAddresses(pending, wallet ? [wallet.address] : [], wallet?.address);
    else await deriveAddresses(pending, original);
  }

  async function beforeCreate(pending: PendingWrite, request: RequestContext): Promise<void> {
    const wallet = wallets.getVerified(request);
    const identities = providers.getVerified(request);
    const isVerified = wallet !== undefined || identities.length > 0;
    const password = extractField(pending, "password");
    const authData = extractField(pending, "authData");
    dropServerFields(pending);
    if (hasProof(authData) && !isVerified) {
      throw new ProtocolError(ErrorCode.UNSUPPORTED_SERVICE, "This authentication method is unsupported.");
    }
    if (!isVerified) {
      const username = setValueOf(pending, "username");
      if (typeof username !== "string" || username === "") {
        throw new ProtocolError(ErrorCode.USERNAME_MISSING, "bad or missing username");
      }
      if (typeof password !== "string" || password === "") {
        throw new ProtocolError(ErrorCode.PASSWORD_MISSING, "password is required");
      }
    }
    if (isVerified && !("username" in pending.operations)) setField(pending, "username", newObjectId(25));
    reserveUsername(pending, undefined);
    await reserveEmail(pending, undefined, email, request);
    if (typeof password === "string") {
      const { policy } = dependencies.config;
      const known = { username: setValueOf(pending, "username") };
      await assertPassword(password, policy, known, dependencies.passwords, request);
      const secret = await passwordSecret(
        password,
        policy,
        {},
        dependencies.clock(),
        dependencies.passwords,
        request,
      );
      Object.assign(pending.secret, secret);
    }
    setAddresses(pending, wallet ? [wallet.address] : [], wallet?.address);
    const storedAuthData: JsonObject = {};
    for (const identity of identities) {
      storedAuthData[identity.provider] = identity.stored;
      pending.additionalWrites.push(providers.link(identity, pending.objectId));
    }
    if (wallet) {
      storedAuthData[WALLET_PROVIDER] = walletAuthData(wallet, authData);
      pending.additionalWrites.push(
        ...wallets.consume(wallet),
        ...wallets.link(wallet.address, pending.objectId),
      );
      pending.returnedFields.accounts = [wallet.address];
      pending.returnedFields.ethAddress = wallet.address;
    }
    if (isVerified) {
      pending.secret.authData = storedAuthData;
      pending.returnedFields.username = setValueOf(pending, "username") ?? null;
    }
    ensureOwnAccess(pending, { "*": { read: true } });
    const authProvider = wallet ? WALLET_PROVIDER : (identities[0]?.provider ?? "password");
    const createdWith = { action: "signup", authProvider } as const;
    const session = sessions.createForNewUser(pending.objectId, createdWith, request);
    pending.additionalWrites.push(...session.writes);
    pending.returnedFields.sessionToken = session.sessionToken;
    if (request.auth.kind === "master") return;
    const { objectId: userId } = pending;
    pending.responseAuth = {
      kind: "user",
      userId,
      roles: [],
      sessionId: "",
      sessionToken: session.sessionToken,
    };
  }

  async function beforeUpdate(pending: PendingWrite, request: RequestContext): Promise<void> {
    const original = pending.original ?? {};
    const password = extractField(pending, "password");
    const authData = extractField(pending, "authData");
    dropServerFields(pending);
    if ("username" in pending.operations) reserveUsername(pending, original);
    if ("email" in pending.operations) await reserveEmail(pending, original, email, request);
    if (password !== undefined) await changePassword(pending, password, request);
    const setsNameAndPassword = password !== undefined && "username" in pending.operations;
    if (authData !== undefined || setsNameAndPassword)
      await signInMethods.apply(pending, authData ?? {}, request);
    if (await deriveAddresses(pending, original)) {
      const accounts = setValueOf(pending, "accounts");
      if (accounts !== undefined) pending.returnedFields.accounts = accounts;
    }
    if ("ACL" in pending.operations) ensureOwnAccess(pending, {});
  }

  async function changePassword(
    pending: PendingWrite,
    password: JsonValue,
    request: RequestContext,
  ): Promise<void> {
    if (typeof password !== "string" || password === "") {
      throw new ProtocolError(ErrorCode.PASSWORD_MISSING, "password must be a non-empty string");
    }
    const { policy, revokeSessionOnPasswordReset } = dependencies.config;
    const before =
      (await dependencies.store.getSecret(dependencies.schemaOf("_User"), pending.objectId))?.secret ?? {};
    const username = setValueOf(pending, "username") ?? pending.original?.username;
    await assertPassword(password, policy, { username, secret: before }, dependencies.passwords, request);
    const secret = await passwordSecret(
      password,
      policy,
      before,
      dependencies.clock(),
      dependencies.passwords,
      request,
    );
    Object.assign(pending.secret, secret);
    if (!revokeSessionOnPasswordReset) return;
    // Everyone who knew the old password is signed out; the session that changed it stays valid.
    const currentSessionId = request.auth.kind === "user" ? request.auth.sessionId : undefined;
    const revocation = await sessions.revokeAll(pending.objectId, currentSessionId);
    pending.additionalWrites.push(...revocation.writes);
    pending.afterCommit.push(() =>
      sessions.finishRevocation({ userId: pending.objectId, except: currentSessionId }, revocation.ids),
    );
  }

  async function secretOf(userId: string): Promise<JsonObject> {
    return (await dependencies.store.getSecret(dependencies.schemaOf("_User"), userId))?.secret ?? {};
  }

  /**
   * Sets the addresses of a user to the linked ones. Clients can only choose which of them is the current one. Returns
   * whether the write contained addresses.
   */
  async function deriveAddresses(pending: PendingWrite, original: JsonObject): Promise<boolean> {
    const isLinkingWallet = pending.additionalWrites.some(
      (write) => write.kind === "reserveUnique" && write.scope === UNIQUE_KEYS.address,
    );
    const { operations } = pending;
    if (isLinkingWallet || !("accounts" in operations || "ethAddress" in operations)) return false;
    const accounts = await wallets.addressesOf(pending.objectId, original.accounts);
    const requested = setValueOf(pending, "ethAddress");
    const chosen = typeof requested === "string" ? requested.toLowerCase() : original.ethAddress;
    const current = accounts.find((address) => address === chosen) ?? accounts[0];
    if ("accounts" in operations) setField(pending, "accounts", accounts);
    operations.ethAddress = current === undefined ? { op: "Delete" } : { op: "Set", value: current };
    return true;
  }

  async function beforeDelete(pending: PendingWrite): Promise<void> {
    const owner = pending.objectId;
    const revocation = await sessions.revokeAll(owner);
    pending.additionalWrites.push(...revocation.writes);
    const schema = dependencies.schemaOf("_EthAddress");
    for (const address of await wallets.addressesOf(owner)) {
      pending.additionalWrites.push({ kind: "delete", schema, id: address, subjects: null });
      pending.additionalWrites.push({
        kind: "releaseUnique",
        scope: UNIQUE_KEYS.contractChain,
        value: address,
      });
    }
    for (const scope of [UNIQUE_KEYS.username, UNIQUE_KEYS.email, UNIQUE_KEYS.address]) {
      pending.additionalWrites.push({ kind: "releaseAllUnique", scope, owner });
    }
    const { authData } = await secretOf(owner);
    for (const provider of isJsonObject(authData) ? Object.keys(authData) : []) {
      pending.additionalWrites.push(providers.unlink(provider, owner));
    }
    pending.additionalWrites.push({
      kind: "removeFromRelations",
      className: "_Role",
      key: "users",
      relatedId: owner,
    });
    pending.additionalWrites.push({ kind: "releaseUnique", scope: UNIQUE_KEYS.credentials, value: owner });
    pending.afterCommit.push(() => sessions.finishRevocation({ userId: owner }, revocation.ids));
  }

  /** Hides the email address from other users, and shows users their own authData, as old clients expect. */
  async function onRead(object: JsonObject, request: RequestContext): Promise<JsonObject> {
    const { auth } = request;
    if (auth.kind === "master") return object;
    if (auth.kind !== "user" || auth.userId !== object.objectId) {
      delete object.email;
      delete object.emailVerified;
      return object;
    }
    const found = await dependencies.store.getSecret(dependencies.schemaOf("_User"), auth.userId);
    const authData = visibleAuthData(found?.secret.authData);
    if (authData) object.authData = authData;
    return object;
  }
}

function assertOwnUser(userId: string, request: RequestContext): void {
  const { auth } = request;
  if (auth.kind === "master" || (auth.kind === "user" && auth.userId === userId)) return;
  throw new ProtocolError(ErrorCode.SESSION_MISSING, `Cannot modify user ${userId}.`);
}

/** Ensures that users can always read and write their own account. */
function ensureOwnAccess(pending: PendingWrite, fallback: JsonObject): void {
  const requested = setValueOf(pending, "ACL");
  const acl = isJsonObject(requested) ? requested : fallback;
  setField(pending, "ACL", { ...acl, [pending.objectId]: { read: true, write: true } });
}

function dropServerFields(pending: PendingWrite): void {
  for (const field of SERVER_FIELDS) delete pending.operations[field];
}

/** Sets the addresses of a new user, or removes those that the client sent. */
function setAddresses(pending: PendingWrite, accounts: string[], ethAddress: string | undefined): void {
  delete pending.operations.accounts;
  delete pending.operations.ethAddress;
  if (ethAddress === undefined) return;
  setField(pending, "accounts", accounts);
  setField(pending, "ethAddress", ethAddress);
}

/** Throws 119 where a client changes `emailVerified`. The server, operators and cloud code set it. */
function normalizeEmailVerified(pending: PendingWrite, { auth }: RequestContext): void {
  if (auth.kind === "master" || !("emailVerified" in pending.operations)) return;
  const isUnchanged = setValueOf(pending, "emailVerified") === (pending.original?.emailVerified ?? false);
  if (!isUnchanged) {
    throw new ProtocolError(
      ErrorCode.OPERATION_FORBIDDEN,
      "Clients aren't allowed to manually update email verification.",
    );
  }
  delete pending.operations.emailVerified;
}

/** The authData that users see of themselves, without the secret of a second factor. */
function visibleAuthData(authData: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(authData) || Object.keys(authData).length === 0) return undefined;
  return MFA in authData ? { ...authData, [MFA]: { status: "enabled" } } : authData;
}

function hasProof(authData: JsonValue | undefined): boolean {
  if (authData === undefined || authData === null) return false;
  return !isJsonObject(authData) || Object.values(authData).some((proof) => proof !== null);
}
