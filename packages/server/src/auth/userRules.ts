import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { bypassesPermissions, type RequestContext } from "../core/authContext.ts";
import { operationForbidden } from "../core/operationForbidden.ts";
import type { ClassRules } from "../data/objects/classRules.ts";
import { newObjectId } from "../data/objects/objectId.ts";
import { extractField, type PendingWrite, setField, setValueOf } from "../data/objects/pendingWrite.ts";
import { SYSTEM_CLASS_FIELDS } from "../data/schema/systemClasses.ts";
import { type AccountEmails, unverifiedEmailError } from "./accountEmails.ts";
import {
  type AuthDataDependencies,
  addAuthDataResponse,
  authDataChanges,
  walletAuthData,
} from "./authDataChanges.ts";
import { disablesUser } from "./disabledUsers.ts";
import { credentialsConflictError } from "./keepSignInMethod.ts";
import { assertOwnCredentials, ensureOwnAccess } from "./ownAccess.ts";
import { PASSKEY_PROVIDER } from "./passkeys/passkeyProvider.ts";
import { changePassword, endSessions } from "./passwordChange.ts";
import { assertPassword, passwordSecret } from "./passwordPolicy.ts";
import type { PrivateUsers } from "./privateUsers.ts";
import { authDataResponseOf } from "./providers/authDataSignIn.ts";
import { identityConflictError } from "./providers/authProviders.ts";
import { factorConflictError, MFA } from "./providers/mfa.ts";
import { reserveEmail, reserveUsername } from "./reserveUserFields.ts";
import { seesSecrets } from "./seesSecrets.ts";
import { TriggerAuthData } from "./triggerAuthData.ts";
import { UNIQUE_KEYS } from "./uniqueKeys.ts";
import { deriveAddresses, setAddresses } from "./userAddresses.ts";
import { WALLET_PROVIDER, walletConflictError } from "./wallets.ts";

/** Fields that are never stored in the object. Values that clients send are ignored. */
const SERVER_FIELDS = ["sessionToken", "passwordHash"] as const;

export interface UserRuleDependencies extends AuthDataDependencies {
  email: AccountEmails;
  privateUsers: PrivateUsers;
}

/** Rules of `_User`: credentials are not stored in the object, names and email addresses are unique, and belong to their user. */
export function userRules(all: UserRuleDependencies): ClassRules {
  const { dependencies, sessions, wallets, email, providers, passkeys, privateUsers } = all;
  const signInMethods = authDataChanges(all);
  const triggerChanges = new TriggerAuthData();
  const isParseCompatible = dependencies.config.compatibility === "parse";
  return {
    ...SYSTEM_CLASS_FIELDS._User,
    restrictedFields: {
      fields: isParseCompatible ? ["email"] : ["email", "emailVerified"],
      isOpenedByAnyRule: isParseCompatible,
    },
    derivedFields: [...SERVER_FIELDS, "password", "authData", "emailVerified", "accounts", "ethAddress"],
    normalize,
    beforeWrite: (_operation, objectId, { auth }) => {
      if (auth.kind === "anonymous") throw sessionMissingError(`Cannot modify user ${objectId}.`);
    },
    onNotWritable: ({ auth }) =>
      bypassesPermissions(auth) ? undefined : sessionMissingError("Insufficient auth."),
    beforeCreate,
    beforeUpdate,
    beforeDelete,
    serialize: onRead,
    serializeAll: addAuthData,
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
        passkeys.ceremonies.conflictError(conflict) ??
        walletConflictError(conflict.scope)
      );
    },
  };

  /** Replaces the wallet addresses that a client sends with the verified ones before triggers run. */
  async function normalize(pending: PendingWrite, request: RequestContext): Promise<void> {
    if (!isParseCompatible) assertOwnCredentials(pending, request);
    dropServerFields(pending);
    triggerChanges.remember(pending);
    normalizeEmailVerified(pending, request);
    const { operations, original } = pending;
    if (!("accounts" in operations || "ethAddress" in operations)) return;
    const wallet = wallets.getVerified(request);
    if (!original) setAddresses(pending, wallet ? [wallet.address] : [], wallet?.address);
    else await deriveAddresses(pending, original, wallets);
  }

  async function beforeCreate(pending: PendingWrite, request: RequestContext): Promise<void> {
    const wallet = wallets.getVerified(request);
    const verified = providers.getVerified(request);
    const passkey = passkeys.getSignUp(request);
    const isVerified =
      wallet !== undefined || passkey !== undefined || verified.some(({ id }) => id !== undefined);
    const password = extractField(pending, "password");
    const authData = extractField(pending, "authData");
    const identities = triggerChanges.identitiesOf(pending, authData, verified);
    dropServerFields(pending);
    if (hasProof(authData) && !isVerified && identities.length === 0) {
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
    convertToLowerCase(pending);
    reserveUsername(pending, undefined, request);
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
    if (passkey) pending.additionalWrites.push(...passkey.writes);
    const storedAuthData: JsonObject = {};
    for (const identity of identities) {
      if (identity.stored !== undefined) storedAuthData[identity.provider] = identity.stored;
      pending.additionalWrites.push(...providers.link(identity, pending.objectId));
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
    addAuthDataResponse(pending, authDataResponseOf(identities));
    if (Object.keys(storedAuthData).length > 0) {
      pending.secret.authData = storedAuthData;
      pending.triggerFields = { authData: storedAuthData };
    }
    if (isVerified) {
      pending.returnedFields.username = setValueOf(pending, "username") ?? null;
    }
    ensureOwnAccess(pending, (await privateUsers.arePrivate()) ? {} : { "*": { read: true } });
    // A passkey proves no identity, unlike wallets and providers.
    const mustVerifyEmail = !isVerified || passkey !== undefined;
    if (mustVerifyEmail && (await email.preventsFirstLogin(pending, request))) {
      // The new user gets no session, and the response may be an error.
      if (dependencies.config.preventSignupWithUnverifiedEmail) {
        pending.afterCommit.push(() => Promise.reject(unverifiedEmailError()));
      }
      return;
    }
    const authProvider = wallet
      ? WALLET_PROVIDER
      : passkey
        ? PASSKEY_PROVIDER
        : (identities[0]?.provider ?? "password");
    const action = isVerified && !passkey ? "login" : "signup";
    const createdWith = { action, authProvider } as const;
    const session = sessions.create(pending.objectId, createdWith, request);
    pending.additionalWrites.push(...session.writes);
    pending.returnedFields.sessionToken = session.sessionToken;
    if (bypassesPermissions(request.auth)) return;
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
    convertToLowerCase(pending);
    if ("username" in pending.operations) reserveUsername(pending, original, request);
    if ("email" in pending.operations) await reserveEmail(pending, original, email, request);
    if (password !== undefined) await changePassword(pending, password, request, all);
    const setsNameAndPassword = password !== undefined && "username" in pending.operations;
    if (authData !== undefined || setsNameAndPassword) {
      const trusted = triggerChanges.changesOf(pending, authData);
      await signInMethods.apply(pending, authData === undefined ? {} : authData, request, trusted);
      if (isParseCompatible && request.auth.kind === "master") startLinkedSession(pending, authData);
    }
    if (await deriveAddresses(pending, original, wallets)) {
      const accounts = setValueOf(pending, "accounts");
      if (accounts !== undefined) pending.returnedFields.accounts = accounts;
    }
    if (disablesUser(pending, request.auth)) {
      if (!isParseCompatible) await endSessions(pending, sessions);
    } else if ("ACL" in pending.operations) ensureOwnAccess(pending, {});
  }

  /** Converts what is written to lower case as configured. The response has the converted values. */
  function convertToLowerCase(pending: PendingWrite): void {
    const { convertUsernameToLowercase = false, convertEmailToLowercase = false } = dependencies.config;
    const names = { username: convertUsernameToLowercase, email: convertEmailToLowercase };
    for (const [name, isConverted] of Object.entries(names)) {
      const value = setValueOf(pending, name);
      if (!isConverted || typeof value !== "string") continue;
      const converted = value.toLowerCase();
      if (converted === value) continue;
      setField(pending, name, converted);
      pending.returnedFields[name] = converted;
    }
  }

  /** Creates a session of a user when the master key links a sign-in method, as Parse Server does. */
  function startLinkedSession(pending: PendingWrite, authData: JsonValue | undefined): void {
    const linked = isJsonObject(authData) ? Object.entries(authData).find(([, proof]) => proof !== null) : [];
    const [authProvider] = linked ?? [];
    if (authProvider === undefined) return;
    const createdWith = { action: "login", authProvider } as const;
    const session = sessions.create(pending.objectId, createdWith, { installationId: undefined });
    pending.additionalWrites.push(...session.writes);
    pending.returnedFields.sessionToken = session.sessionToken;
  }

  async function secretOf(userId: string): Promise<JsonObject> {
    return (await dependencies.store.getSecret(dependencies.schemaOf("_User"), userId))?.secret ?? {};
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
    pending.additionalWrites.push(...(await passkeys.removalWrites(owner)));
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

  /** Shows the master key the authData of users, as Parse Server does. */
  async function addAuthData(objects: readonly JsonObject[], request: RequestContext): Promise<void> {
    if (!isParseCompatible || !seesSecrets(request.auth)) return;
    const ids = objects.map(({ objectId }) => String(objectId));
    const secrets = await dependencies.store.getSecrets(dependencies.schemaOf("_User"), ids);
    for (const object of objects) {
      await showAuthData(object, secrets.get(String(object.objectId))?.authData, request);
    }
  }

  /** Shows users their own authData, as old clients expect. */
  async function onRead(
    object: JsonObject,
    request: RequestContext,
    secret?: JsonObject,
  ): Promise<JsonObject> {
    const { auth } = request;
    if (auth.kind !== "user" || auth.userId !== object.objectId) return object;
    const known =
      secret ?? (await dependencies.store.getSecret(dependencies.schemaOf("_User"), auth.userId))?.secret;
    await showAuthData(object, known?.authData, request);
    return object;
  }

  async function showAuthData(
    user: JsonObject,
    stored: JsonValue | undefined,
    request: RequestContext,
  ): Promise<void> {
    const authData = visibleAuthData(stored);
    if (authData) user.authData = await providers.visible(authData, user, request);
  }
}

function sessionMissingError(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.SESSION_MISSING, message);
}

function dropServerFields(pending: PendingWrite): void {
  for (const field of SERVER_FIELDS) delete pending.operations[field];
}

/** Throws 119 where a client changes `emailVerified`. The server, operators and cloud code set it. */
function normalizeEmailVerified(pending: PendingWrite, { auth }: RequestContext): void {
  if (bypassesPermissions(auth) || !("emailVerified" in pending.operations)) return;
  const isUnchanged = setValueOf(pending, "emailVerified") === (pending.original?.emailVerified ?? false);
  if (!isUnchanged) {
    throw operationForbidden("Clients aren't allowed to manually update email verification.");
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
