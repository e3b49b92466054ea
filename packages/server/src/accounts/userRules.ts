import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_USERNAME_LENGTH,
  type Operation,
  ProtocolError,
} from "@purse/protocol";
import type { RequestContext } from "../caller.ts";
import type { Draft } from "../objects/draft.ts";
import { newObjectId } from "../objects/objectId.ts";
import type { ClassRules } from "../objects/rules.ts";
import { factorTaken, MFA } from "./auth/mfa.ts";
import { ANONYMOUS_PROVIDER, identityTaken, type Providers } from "./auth/providers.ts";
import { credentialsChanged, credentialsTurn } from "./credentials.ts";
import type { Email } from "./email.ts";
import { isEmailAddress } from "./emailAddress.ts";
import { type AccountsParts, CLAIM, foldName } from "./parts.ts";
import { assertPassword, passwordSecret } from "./passwordPolicy.ts";
import type { SecondFactor } from "./secondFactor.ts";
import type { Sessions } from "./sessions.ts";
import { SYSTEM_CLASS_FIELDS } from "./systemClasses.ts";
import type { VerifiedWallet } from "./walletMessage.ts";
import { WALLET_PROVIDER, type Wallets, walletTaken } from "./wallets.ts";

/** Never stored in the object. Values that clients send are ignored. */
const SERVER_FIELDS = ["sessionToken", "passwordHash"] as const;

export interface UserRuleParts {
  parts: AccountsParts;
  sessions: Sessions;
  wallets: Wallets;
  email: Email;
  secondFactor: SecondFactor;
  providers: Providers;
}

/** `_User`: credentials stay out of the object, names and addresses are unique, people write only themselves. */
export function userRules({
  parts,
  sessions,
  wallets,
  email,
  secondFactor,
  providers,
}: UserRuleParts): ClassRules {
  return {
    ...SYSTEM_CLASS_FIELDS._User,
    hidden: ["email", "emailVerified"],
    derivedFields: [...SERVER_FIELDS, "password", "authData", "emailVerified", "accounts", "ethAddress"],
    normalize,
    beforeWrite: (_operation, objectId, request) => assertOwn(objectId, request),
    beforeCreate,
    beforeUpdate,
    beforeDelete,
    onRead,
    onClaimTaken(taken) {
      if (taken.scope === CLAIM.username) {
        return new ProtocolError(ErrorCode.USERNAME_TAKEN, "Account already exists for this username.");
      }
      if (taken.scope === CLAIM.email) {
        return new ProtocolError(ErrorCode.EMAIL_TAKEN, "Account already exists for this email address.");
      }
      if (taken.scope === CLAIM.credentials) return credentialsChanged();
      return identityTaken(taken.scope) ?? factorTaken(taken.scope) ?? walletTaken(taken.scope);
    },
  };

  /** Replaces the addresses that a client sends by those that the user has verified, before triggers see them. */
  async function normalize(draft: Draft, request: RequestContext): Promise<void> {
    dropServerFields(draft);
    normalizeEmailVerified(draft, request);
    const { operations, original } = draft;
    if (!("accounts" in operations || "ethAddress" in operations)) return;
    const wallet = wallets.verifiedBy(request);
    if (!original) setAddresses(draft, wallet ? [wallet.address] : [], wallet?.address);
    else await deriveAddresses(draft, original);
  }

  async function beforeCreate(draft: Draft, request: RequestContext): Promise<void> {
    const wallet = wallets.verifiedBy(request);
    const identities = providers.verifiedBy(request);
    const isProved = wallet !== undefined || identities.length > 0;
    const password = takeValue(draft, "password");
    const authData = takeValue(draft, "authData");
    dropServerFields(draft);
    if (hasProof(authData) && !isProved) {
      throw new ProtocolError(ErrorCode.UNSUPPORTED_SERVICE, "This authentication method is unsupported.");
    }
    if (!isProved) {
      const username = setValueOf(draft, "username");
      if (typeof username !== "string" || username === "") {
        throw new ProtocolError(ErrorCode.USERNAME_MISSING, "bad or missing username");
      }
      if (typeof password !== "string" || password === "") {
        throw new ProtocolError(ErrorCode.PASSWORD_MISSING, "password is required");
      }
    }
    if (isProved && !("username" in draft.operations)) set(draft, "username", newObjectId(25));
    claimName(draft, undefined);
    await claimEmail(draft, undefined, email, request);
    if (typeof password === "string") {
      const { policy } = parts.config;
      const known = { username: setValueOf(draft, "username") };
      await assertPassword(password, policy, known, parts.passwords, request);
      const secret = await passwordSecret(password, policy, {}, parts.clock(), parts.passwords, request);
      Object.assign(draft.secret, secret);
    }
    setAddresses(draft, wallet ? [wallet.address] : [], wallet?.address);
    const kept: JsonObject = {};
    for (const identity of identities) {
      kept[identity.provider] = identity.kept;
      draft.writes.push(providers.take(identity, draft.objectId));
    }
    if (wallet) {
      kept[WALLET_PROVIDER] = walletAuthData(wallet, authData);
      draft.writes.push(...wallets.use(wallet), ...wallets.take(wallet.address, draft.objectId));
      draft.reply.accounts = [wallet.address];
      draft.reply.ethAddress = wallet.address;
    }
    if (isProved) {
      draft.secret.authData = kept;
      draft.reply.username = setValueOf(draft, "username") ?? null;
    }
    keepOwnAccess(draft, { "*": { read: true } });
    const authProvider = wallet ? WALLET_PROVIDER : (identities[0]?.provider ?? "password");
    const createdWith = { action: "signup", authProvider } as const;
    const session = sessions.ofNewUser(draft.objectId, createdWith, request);
    draft.writes.push(...session.writes);
    draft.reply.sessionToken = session.sessionToken;
    if (request.caller.kind === "master") return;
    const { objectId: userId } = draft;
    draft.reader = { kind: "user", userId, roles: [], sessionId: "", sessionToken: session.sessionToken };
  }

  async function beforeUpdate(draft: Draft, request: RequestContext): Promise<void> {
    const original = draft.original ?? {};
    const password = takeValue(draft, "password");
    const authData = takeValue(draft, "authData");
    dropServerFields(draft);
    if ("username" in draft.operations) claimName(draft, original);
    if ("email" in draft.operations) await claimEmail(draft, original, email, request);
    if (password !== undefined) await changePassword(draft, password, request);
    const isNaming = password !== undefined && "username" in draft.operations;
    if (authData !== undefined || isNaming) await changeAuthData(draft, authData ?? {}, request);
    if (await deriveAddresses(draft, original)) {
      const accounts = setValueOf(draft, "accounts");
      if (accounts !== undefined) draft.reply.accounts = accounts;
    }
    if ("ACL" in draft.operations) keepOwnAccess(draft, {});
  }

  async function changePassword(draft: Draft, password: JsonValue, request: RequestContext): Promise<void> {
    if (typeof password !== "string" || password === "") {
      throw new ProtocolError(ErrorCode.PASSWORD_MISSING, "password must be a non-empty string");
    }
    const { policy, revokeSessionOnPasswordReset } = parts.config;
    const before = (await parts.store.getSecret(parts.schemaOf("_User"), draft.objectId))?.secret ?? {};
    const username = setValueOf(draft, "username") ?? draft.original?.username;
    await assertPassword(password, policy, { username, secret: before }, parts.passwords, request);
    const secret = await passwordSecret(password, policy, before, parts.clock(), parts.passwords, request);
    Object.assign(draft.secret, secret);
    if (!revokeSessionOnPasswordReset) return;
    // Whoever knew the old password is out; the session that changed it goes on.
    const kept = request.caller.kind === "user" ? request.caller.sessionId : undefined;
    const ended = await sessions.endAll(draft.objectId, kept);
    draft.writes.push(...ended.writes);
    draft.afterwards.push(() => sessions.finishEnd({ userId: draft.objectId, except: kept }, ended.ids));
  }

  /** `{provider: proof}` links, `{provider: null}` unlinks, `{}` changes nothing. */
  async function changeAuthData(draft: Draft, authData: JsonValue, request: RequestContext): Promise<void> {
    if (!isJsonObject(authData))
      throw new ProtocolError(ErrorCode.INCORRECT_TYPE, "authData must be an object");
    // Of two removals at once, the second has to see what the first has left.
    const removes = Object.entries(authData).some(
      ([provider, proof]) => proof === null && provider !== WALLET_PROVIDER,
    );
    if (removes) draft.writes.push(...(await credentialsTurn(parts.store, draft.objectId)));
    const secret = await secretOf(draft.objectId);
    const current = isJsonObject(secret.authData) ? secret.authData : {};
    const next: JsonObject = { ...current };
    for (const [provider, proof] of Object.entries(authData)) {
      if (provider === MFA) await changeFactor(draft, next, proof, request);
      else if (proof === null) {
        if (provider in next) await unlink(draft, provider, next, secret);
      }
      // What the client knew already comes back with every save.
      else if (!isSameProof(current[provider], proof))
        next[provider] = await link(draft, provider, proof, request);
    }
    // Whoever gets a name and a password of their own is not anonymous any more.
    const isNamed = draft.secret.passwordHash !== undefined && setValueOf(draft, "username") !== undefined;
    if (isNamed && ANONYMOUS_PROVIDER in next) {
      delete next[ANONYMOUS_PROVIDER];
      draft.writes.push(providers.release(ANONYMOUS_PROVIDER, draft.objectId));
    }
    draft.secret.authData = next;
  }

  async function secretOf(userId: string): Promise<JsonObject> {
    return (await parts.store.getSecret(parts.schemaOf("_User"), userId))?.secret ?? {};
  }

  async function unlink(draft: Draft, provider: string, next: JsonObject, secret: JsonObject): Promise<void> {
    delete next[provider];
    // A wallet is let go of by deleting its address.
    if (provider === WALLET_PROVIDER) return;
    draft.writes.push(providers.release(provider, draft.objectId));
    const hasPassword = (draft.secret.passwordHash ?? secret.passwordHash) !== undefined;
    const others = Object.keys(next).filter((name) => name !== MFA);
    const addresses = await wallets.addressesOf(draft.objectId);
    if (hasPassword || others.length > 0 || addresses.length > 0) return;
    throw new ProtocolError(
      ErrorCode.OPERATION_FORBIDDEN,
      "This is the only way into the account: set a password or link another sign-in first.",
    );
  }

  /** Sets a second factor up, changes it, or ends it: the latter two take a code of the one there is. */
  async function changeFactor(
    draft: Draft,
    next: JsonObject,
    proof: JsonValue | undefined,
    request: RequestContext,
  ): Promise<void> {
    const factor = next[MFA];
    const asked = isJsonObject(proof) ? proof : {};
    if (isJsonObject(factor) && request.caller.kind !== "master") {
      const used = await secondFactor.use(draft.objectId, factor, asked.old, request);
      draft.writes.push(...used.writes);
    }
    if (proof === null || asked.disable === true) {
      delete next[MFA];
      return;
    }
    const set = await secondFactor.setUp(draft.objectId, asked, request);
    next[MFA] = set.kept;
    draft.writes.push(...set.writes);
    draft.reply.authDataResponse = { [MFA]: { recovery: set.recovery.join(", ") } };
  }

  async function link(
    draft: Draft,
    provider: string,
    proof: JsonValue | undefined,
    request: RequestContext,
  ): Promise<JsonValue> {
    if (provider !== WALLET_PROVIDER) {
      const identity = await providers.verify(provider, proof);
      const owner = await providers.ownerOf(identity);
      if (owner !== undefined && owner !== draft.objectId) {
        throw new ProtocolError(ErrorCode.ACCOUNT_ALREADY_LINKED, "this auth is already used");
      }
      draft.writes.push(
        providers.release(provider, draft.objectId),
        providers.take(identity, draft.objectId),
      );
      return identity.kept;
    }
    const wallet = await wallets.verify(proof ?? null, "link", request);
    const owner = await wallets.ownerOf(wallet.address);
    if (owner !== undefined && owner !== draft.objectId) throw walletTaken(CLAIM.address);
    draft.writes.push(...wallets.use(wallet));
    if (owner === undefined) {
      draft.writes.push(...wallets.take(wallet.address, draft.objectId));
      draft.afterwards.push(() => sessions.forget({ userId: draft.objectId }));
      draft.operations.accounts = { op: "AddUnique", objects: [wallet.address] };
    }
    set(draft, "ethAddress", wallet.address);
    return isJsonObject(proof) ? keptProof(proof) : null;
  }

  /**
   * Sets the addresses of a user to those that it has linked. Clients only choose which of them is the current one.
   * Returns whether the write had addresses.
   */
  async function deriveAddresses(draft: Draft, original: JsonObject): Promise<boolean> {
    const linked = draft.writes.some((write) => write.kind === "claim" && write.scope === CLAIM.address);
    const { operations } = draft;
    if (linked || !("accounts" in operations || "ethAddress" in operations)) return false;
    const accounts = await wallets.addressesOf(draft.objectId, original.accounts);
    const wanted = setValueOf(draft, "ethAddress");
    const chosen = typeof wanted === "string" ? wanted.toLowerCase() : original.ethAddress;
    const current = accounts.find((address) => address === chosen) ?? accounts[0];
    if ("accounts" in operations) set(draft, "accounts", accounts);
    operations.ethAddress = current === undefined ? { op: "Delete" } : { op: "Set", value: current };
    return true;
  }

  async function beforeDelete(draft: Draft): Promise<void> {
    const owner = draft.objectId;
    const ended = await sessions.endAll(owner);
    draft.writes.push(...ended.writes);
    const schema = parts.schemaOf("_EthAddress");
    for (const address of await wallets.addressesOf(owner)) {
      draft.writes.push({ kind: "delete", schema, id: address, principals: null });
      draft.writes.push({ kind: "release", scope: CLAIM.contractChain, value: address });
    }
    for (const scope of [CLAIM.username, CLAIM.email, CLAIM.address]) {
      draft.writes.push({ kind: "releaseAll", scope, owner });
    }
    const { authData } = await secretOf(owner);
    for (const provider of isJsonObject(authData) ? Object.keys(authData) : []) {
      draft.writes.push(providers.release(provider, owner));
    }
    draft.writes.push({ kind: "leave", className: "_Role", key: "users", relatedId: owner });
    draft.writes.push({ kind: "release", scope: CLAIM.credentials, value: owner });
    draft.afterwards.push(() => sessions.finishEnd({ userId: owner }, ended.ids));
  }

  /** Others do not see how to reach a person; people see their own authData, as old clients expect. */
  async function onRead(object: JsonObject, request: RequestContext): Promise<JsonObject> {
    const { caller } = request;
    if (caller.kind === "master") return object;
    if (caller.kind !== "user" || caller.userId !== object.objectId) {
      delete object.email;
      delete object.emailVerified;
      return object;
    }
    const found = await parts.store.getSecret(parts.schemaOf("_User"), caller.userId);
    const authData = shownAuthData(found?.secret.authData);
    if (authData) object.authData = authData;
    return object;
  }
}

function assertOwn(userId: string, request: RequestContext): void {
  const { caller } = request;
  if (caller.kind === "master" || (caller.kind === "user" && caller.userId === userId)) return;
  throw new ProtocolError(ErrorCode.SESSION_MISSING, `Cannot modify user ${userId}.`);
}

function claimName(draft: Draft, original: JsonObject | undefined): void {
  const username = setValueOf(draft, "username");
  if (typeof username !== "string" || username === "") {
    throw new ProtocolError(ErrorCode.USERNAME_MISSING, "bad or missing username");
  }
  if (username.length > MAX_USERNAME_LENGTH) {
    throw new ProtocolError(
      ErrorCode.USERNAME_MISSING,
      `bad or missing username: it takes ${MAX_USERNAME_LENGTH} characters at most`,
    );
  }
  const value = foldName(username);
  const before = typeof original?.username === "string" ? foldName(original.username) : undefined;
  if (before === value) return;
  if (before !== undefined) draft.writes.push({ kind: "release", scope: CLAIM.username, value: before });
  draft.writes.push({ kind: "claim", scope: CLAIM.username, value, owner: draft.objectId });
}

async function claimEmail(
  draft: Draft,
  original: JsonObject | undefined,
  verification: Email,
  request: RequestContext,
): Promise<void> {
  const operation = draft.operations.email;
  if (!operation) return;
  const before = typeof original?.email === "string" ? foldName(original.email) : undefined;
  const email = operation.op === "Set" && operation.value !== null ? operation.value : undefined;
  if (email !== undefined && !isEmailAddress(email)) {
    throw new ProtocolError(ErrorCode.INVALID_EMAIL_ADDRESS, "Email address format is invalid.");
  }
  const value = email === undefined ? undefined : foldName(email);
  if (before === value) return;
  // A new address has not been verified, even if the old one was.
  if (original?.emailVerified === true && !("emailVerified" in draft.operations))
    set(draft, "emailVerified", false);
  await verification.changeAddress(draft, email, request);
  if (before !== undefined) draft.writes.push({ kind: "release", scope: CLAIM.email, value: before });
  if (value !== undefined)
    draft.writes.push({ kind: "claim", scope: CLAIM.email, value, owner: draft.objectId });
}

/** Nobody can lock themselves out of their own account. */
function keepOwnAccess(draft: Draft, fallback: JsonObject): void {
  const given = setValueOf(draft, "ACL");
  const acl = isJsonObject(given) ? given : fallback;
  set(draft, "ACL", { ...acl, [draft.objectId]: { read: true, write: true } });
}

function dropServerFields(draft: Draft): void {
  for (const field of SERVER_FIELDS) delete draft.operations[field];
}

/** Sets the addresses of a new user, or removes those that the client sent. */
function setAddresses(draft: Draft, accounts: string[], ethAddress: string | undefined): void {
  delete draft.operations.accounts;
  delete draft.operations.ethAddress;
  if (ethAddress === undefined) return;
  set(draft, "accounts", accounts);
  set(draft, "ethAddress", ethAddress);
}

/** Throws 119 where a client changes `emailVerified`. The server, operators and cloud code set it. */
function normalizeEmailVerified(draft: Draft, { caller }: RequestContext): void {
  if (caller.kind === "master" || !("emailVerified" in draft.operations)) return;
  const isSentBack = setValueOf(draft, "emailVerified") === (draft.original?.emailVerified ?? false);
  if (!isSentBack) {
    throw new ProtocolError(
      ErrorCode.OPERATION_FORBIDDEN,
      "Clients aren't allowed to manually update email verification.",
    );
  }
  delete draft.operations.emailVerified;
}

/** What people see of their own sign-ins: not what a second factor is made of. */
function shownAuthData(authData: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(authData) || Object.keys(authData).length === 0) return undefined;
  return MFA in authData ? { ...authData, [MFA]: { status: "enabled" } } : authData;
}

function hasProof(authData: JsonValue | undefined): boolean {
  if (authData === undefined || authData === null) return false;
  return !isJsonObject(authData) || Object.values(authData).some((proof) => proof !== null);
}

function walletAuthData(wallet: VerifiedWallet, authData: JsonValue | undefined): JsonValue {
  const given = isJsonObject(authData) ? authData[WALLET_PROVIDER] : undefined;
  return isJsonObject(given) ? { ...keptProof(given), id: wallet.address } : { id: wallet.address };
}

/** Of what a client sent, what was checked, and so is bounded. */
function keptProof({ id, signature, data }: JsonObject): JsonObject {
  return { id: id ?? null, signature: signature ?? null, data: data ?? null };
}

function isSameProof(known: JsonValue | undefined, proof: JsonValue | undefined): boolean {
  return (
    isJsonObject(known) &&
    isJsonObject(proof) &&
    known.signature !== undefined &&
    known.signature === proof.signature
  );
}

function set(draft: Draft, field: string, value: JsonValue): void {
  draft.operations[field] = { op: "Set", value };
}

function setValueOf(draft: Draft, field: string): JsonValue | undefined {
  const operation: Operation | undefined = draft.operations[field];
  return operation?.op === "Set" ? operation.value : undefined;
}

/** A value that must not be stored in the object. */
function takeValue(draft: Draft, field: string): JsonValue | undefined {
  const value = setValueOf(draft, field);
  delete draft.operations[field];
  return value;
}
