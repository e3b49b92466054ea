import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { ANONYMOUS, bypassesPermissions, type RequestContext } from "../core/authContext.ts";
import { type ApiReply, type ApiRoute, jsonReply } from "../core/http/apiRoute.ts";
import { routesOf } from "../core/http/endpoint.ts";
import type { WriteOptions, WriteRequest } from "../data/objects/writeOptions.ts";
import { UniqueConstraintError, type Write } from "../database/store.ts";
import type { AccountEmails } from "./accountEmails.ts";
import { accountObjectRoutes } from "./accountObjectRoutes.ts";
import { triggerAuthData } from "./authDataChanges.ts";
import type { AuthDependencies } from "./authDependencies.ts";
import { createChallenge } from "./challenge.ts";
import { assertNotDisabled, wrongCredentials } from "./disabledUsers.ts";
import type { Lockout } from "./lockout.ts";
import { PASSKEY_PROVIDER } from "./passkeys/passkeyProvider.ts";
import type { UserPasskeys } from "./passkeys/userPasskeys.ts";
import { isBcrypt } from "./password.ts";
import { createCredentialCheck } from "./passwordCredentials.ts";
import { passwordAgeStart } from "./passwordPolicy.ts";
import { AuthDataSignIn } from "./providers/authDataSignIn.ts";
import {
  ANONYMOUS_PROVIDER,
  type AuthProviders,
  type Proofs,
  proofsOf,
  unsupportedError,
} from "./providers/authProviders.ts";
import { factorConflictError, MFA } from "./providers/mfa.ts";
import type { SecondFactor } from "./secondFactor.ts";
import type { CreatedWith, NewSession, SessionOrigin } from "./sessionRecord.ts";
import { sessionRoutes } from "./sessionRoutes.ts";
import type { Sessions } from "./sessions.ts";
import { USER_ENDPOINTS } from "./userEndpoints.ts";
import { WALLET_PROVIDER, type Wallets, walletConflictError } from "./wallets.ts";

export interface AuthRouteDependencies {
  dependencies: AuthDependencies;
  sessions: Sessions;
  wallets: Wallets;
  email: AccountEmails;
  lockout: Lockout;
  secondFactor: SecondFactor;
  providers: AuthProviders;
  passkeys: UserPasskeys;
}

interface SignInOptions {
  /** Whether the sign-in method is a second factor as well. */
  includesFactor?: boolean;
  /**
   * Whether what was proved still holds when the session has started. A session that starts during a change of the
   * password would not end with the others.
   */
  isStillValid?: () => Promise<boolean>;
}

/** Routes for sign-up, sign-in and sign-out, users and sessions. */
export function authRoutes({
  dependencies,
  sessions,
  wallets,
  email,
  lockout,
  secondFactor,
  providers,
  passkeys,
}: AuthRouteDependencies): ApiRoute<WriteRequest>[] {
  const { objects, store, schemaOf, limits } = dependencies;
  const verifyCredentials = createCredentialCheck(dependencies, lockout);
  const signIns = new AuthDataSignIn({
    providers,
    allowsExpiredTokens: dependencies.config.allowExpiredAuthDataToken,
  });
  const challenge = createChallenge({
    dependencies,
    providers,
    signIns,
    secondFactor,
    verifyPassword: async (request) => (await verifyCredentials(request)).owner,
  });
  const authenticateSession = (sessionToken: string) => sessions.authenticate(sessionToken);
  const routes: ApiRoute<WriteRequest>[] = routesOf(USER_ENDPOINTS, {
    signUp: signUpOrSignIn,
    signUpAsObject: signUpOrSignIn,
    logIn,
    logInByQuery: logIn,
    challenge,
    verifyPassword,
    verifyPasswordByQuery: verifyPassword,
  });
  return [
    ...routes,
    ...sessionRoutes({ dependencies, sessions, startSession, readOwnUser }),
    ...accountObjectRoutes(objects),
  ];

  async function signUpOrSignIn(request: WriteRequest): Promise<ApiReply> {
    const { authData } = request.params;
    const authDataByProvider = isJsonObject(authData) ? authData : {};
    const passkey = authDataByProvider[PASSKEY_PROVIDER];
    if (isJsonObject(passkey) && passkey.credential !== undefined) return signUpWithPasskey(request, passkey);
    if (passkey !== undefined && passkey !== null) return signInWithPasskey(request, passkey);
    const proof = authDataByProvider[WALLET_PROVIDER];
    if (proof === undefined || proof === null) return signInWithIdentity(request, authDataByProvider);
    const wallet = await wallets.verify(proof, "login", request);
    const signInByWallet = async (user: string) =>
      withLocation(await signIn(request, user, WALLET_PROVIDER, wallets.consume(wallet)), request, user);
    const owner = await wallets.ownerOf(wallet.address);
    if (owner !== undefined) return signInByWallet(owner);
    wallets.setVerified(request, wallet);
    try {
      return await createUser(request, request.params);
    } catch (error) {
      // A concurrent request with the same wallet has created the user: sign in to it.
      const now = await wallets.ownerOf(wallet.address);
      if (
        now === undefined ||
        !(error instanceof ProtocolError) ||
        error.code !== ErrorCode.ACCOUNT_ALREADY_LINKED
      ) {
        throw error;
      }
      return signInByWallet(now);
    }
  }

  /** Signs in with a passkey, which also is a second factor: its authenticator has verified its user. */
  async function signInWithPasskey(request: WriteRequest, proof: JsonValue): Promise<ApiReply> {
    const { ceremonies } = passkeys;
    const refund = await limits.countAddress("failedLogIn", request);
    const { owner } = await ceremonies.identify(proof);
    await refund();
    const { writes } = await secondFactor.attempt(owner, request, () => ceremonies.verify(proof, "login"));
    await assertPasskeyVerified(request, owner);
    const reply = await signIn(request, owner, PASSKEY_PROVIDER, writes, { includesFactor: true });
    return withLocation(reply, request, owner);
  }

  /** Creates an account whose sign-in method is a new passkey. */
  async function signUpWithPasskey(request: WriteRequest, proof: JsonObject): Promise<ApiReply> {
    const { authData: _, ...fields } = request.params;
    if (fields.id) throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, "id is an invalid field name.");
    const refund = await limits.countAddress("failedLogIn", request);
    const objectId = await passkeys.verifySignUp(proof, request);
    await refund();
    return createUser(request, { ...fields, objectId }, { allowCustomId: true });
  }

  /**
   * Throws 205 if the email address has to be verified first. As at sign-ins by password; users who have also proven
   * another identity need not.
   */
  async function assertPasskeyVerified(request: WriteRequest, owner: string): Promise<void> {
    const found = await store.getSecret(schemaOf("_User"), owner);
    if (!found) return;
    const { authData } = found.secret;
    const hasIdentity = isJsonObject(authData) && Object.keys(authData).some((provider) => provider !== MFA);
    if (hasIdentity || (await wallets.addressesOf(owner)).length > 0) return;
    await assertVerified(JSON.parse(found.text), request);
  }

  /** Signs in with identities of other providers, or creates a user. Users are never matched by email address. */
  async function signInWithIdentity(sent: WriteRequest, sentAuthData: JsonObject): Promise<ApiReply> {
    if (proofsOf(sentAuthData).length === 0) return createUser(sent, sent.params);
    const authData = await providers.identify(sentAuthData);
    const params: JsonObject = { ...sent.params, authData };
    const request: WriteRequest = { ...sent, params };
    const proofs = proofsOf(authData);
    const [provider = ""] = proofs[0] ?? [];
    const owner = await signIns.ownerOf(proofs, request);
    if (owner !== undefined) {
      await assertNotOfAnother(request, owner, proofs);
      return withLocation(await signIn(request, owner, provider, []), request, owner);
    }
    const { password: _, ...newUser } = request.params;
    const check = { request, user: undefined, newUser, isSignedIn: false };
    const identities = await providers.verifyAll(proofs, check);
    const { username, password } = request.params;
    const isNamed = typeof username === "string" && typeof password === "string";
    // A proof that identifies no user is not enough for an account.
    if (!isNamed && identities.every(({ id }) => id === undefined)) throw unsupportedError();
    providers.setVerified(request, identities);
    return createUser(request, request.params);
  }

  /**
   * Throws 208 if a signed-in user proves the identity of another one, as in Parse Server: it would become that user. Without
   * a valid proof, the response does not reveal whose identity it is.
   */
  async function assertNotOfAnother(request: WriteRequest, owner: string, proofs: Proofs): Promise<void> {
    const { auth } = request;
    if (auth.kind !== "user" || auth.userId === owner) return;
    await providers.verifyAll(proofs, { request, user: undefined, isSignedIn: false });
    throw new ProtocolError(ErrorCode.ACCOUNT_ALREADY_LINKED, "this auth is already used");
  }

  /** Adds the address of the user to a reply, as at the creation of other objects. */
  function withLocation(reply: ApiReply, { serverUrl }: WriteRequest, id: unknown): ApiReply {
    return { ...reply, headers: { ...reply.headers, location: `${serverUrl}/users/${id}` } };
  }

  async function createUser(
    request: WriteRequest,
    fields: JsonObject,
    idOptions: Pick<WriteOptions, "allowCustomId"> = {},
  ): Promise<ApiReply> {
    const isAnonymous = providers
      .getVerified(request)
      .some(({ provider }) => provider === ANONYMOUS_PROVIDER);
    await limits.countAddress(isAnonymous ? "anonymousSignUp" : "signUp", request);
    const replyOf = ({ status, body }: Pick<ApiReply, "status"> & { body: JsonObject }): ApiReply =>
      withLocation({ status, body: JSON.stringify(body) }, request, body.objectId);
    const { idempotentWrite, ...others } = request.writeOptions;
    const options = { ...others, ...idOptions, idempotentWrite: idempotentWrite?.withFormat(replyOf) };
    return replyOf(await objects.create(request, "_User", fields, options));
  }

  async function logIn(request: WriteRequest): Promise<ApiReply> {
    const { owner, user, lockoutKey, secret } = await verifyCredentials(request);
    await assertVerified(user, request);
    const { password } = request.params;
    const { policy } = dependencies.config;
    const writes = lockout.resetWrites(lockoutKey);
    const changes = passwordAgeStart(secret, policy, dependencies.clock());
    const { passwordHash: hash } = secret;
    if (typeof hash === "string" && isBcrypt(hash) && typeof password === "string") {
      changes.passwordHash = await dependencies.passwords.hash(password, request);
    }
    if (Object.keys(changes).length > 0) writes.push(secretUpdate(owner, changes));
    return signIn(request, owner, "password", writes, {
      isStillValid: () => hasPassword(request, owner, changes.passwordHash ?? hash),
    });
  }

  /** Whether a user still has the password of a request, whose hash was `knownHash` when it was verified. */
  async function hasPassword(
    request: WriteRequest,
    owner: string,
    knownHash: JsonValue | undefined,
  ): Promise<boolean> {
    const found = await store.getSecret(schemaOf("_User"), owner);
    const hash = found?.secret.passwordHash;
    if (hash === knownHash) return true;
    const { password } = request.params;
    if (typeof hash !== "string" || typeof password !== "string") return false;
    return dependencies.passwords.verify(hash, password, request);
  }

  async function verifyPassword(request: WriteRequest): Promise<ApiReply> {
    const { owner, user, lockoutKey, needsCode } = await verifyCredentials(request);
    await assertVerified(user, request);
    // The password alone does not reset the count of an account that also requires a code.
    const resetWrites = needsCode ? [] : lockout.resetWrites(lockoutKey);
    if (resetWrites.length > 0) await store.write(resetWrites);
    return jsonReply(JSON.stringify(await readOwnUser(request, owner)));
  }

  /** Throws 205 if the email address has to be verified first. Only the master key may ignore that. */
  async function assertVerified(user: JsonObject, request: WriteRequest): Promise<void> {
    const { ignoreEmailVerification: ignored } = request.params;
    if (bypassesPermissions(request.auth) && (ignored === true || ignored === "true")) return;
    await email.assertCanSignIn(user, request);
  }

  async function signIn(
    request: WriteRequest,
    owner: string,
    authProvider: string,
    signInWrites: Write[],
    { includesFactor = false, isStillValid }: SignInOptions = {},
  ): Promise<ApiReply> {
    const found = await store.getSecret(schemaOf("_User"), owner);
    if (!found) throw wrongCredentials();
    assertNotDisabled(JSON.parse(found.text));
    const { authData } = found.secret;
    const known = isJsonObject(authData) ? authData : {};
    const user = { ...JSON.parse(found.text), authData: triggerAuthData(known) };
    const proofs = await signIns.verify(request, user, request.params.authData, (attempt) =>
      secondFactor.attempt(owner, request, attempt),
    );
    const beforeLogin = dependencies.triggers.of("beforeLogin");
    // The user is not signed in yet, regardless of the session of the request.
    const auth = request.auth.kind === "user" ? ANONYMOUS : request.auth;
    if (beforeLogin) await beforeLogin(await readOwnUser(request, owner), { ...request, auth });
    const needsNoFactor = includesFactor || proofs.isSolo;
    const factor = needsNoFactor
      ? undefined
      : await secondFactor.verifySignIn(owner, authData, request.params.authData, request);
    const writes = [...signInWrites, ...proofs.writes, ...(factor?.writes ?? [])];
    const changed = { ...proofs.stored, ...(factor?.next && { [MFA]: factor.next }) };
    if (Object.keys(changed).length > 0) {
      writes.push(secretUpdate(owner, { authData: { ...known, ...changed } }));
    }
    const session = await startSession(request, owner, { action: "login", authProvider }, writes);
    const { sessionToken } = session;
    if (isStillValid && !(await isStillValid())) {
      await sessions.revoke(String(session.object.objectId));
      throw wrongCredentials();
    }
    const afterLogin = dependencies.triggers.of("afterLogin");
    if (afterLogin) {
      const { auth: _, ...others } = request;
      const auth = await authenticateSession(sessionToken);
      await afterLogin({ ...(await readOwnUser(request, owner)), sessionToken }, { ...others, auth });
    }
    const { response: authDataResponse } = proofs;
    const reply = { ...(await readOwnUser(request, owner)), sessionToken };
    const isAnswered = Object.keys(authDataResponse).length > 0;
    return jsonReply(JSON.stringify(isAnswered ? { ...reply, authDataResponse } : reply));
  }

  function secretUpdate(owner: string, secret: JsonObject): Write {
    const at = new Date(dependencies.clock()).toISOString();
    return {
      kind: "update",
      schema: schemaOf("_User"),
      id: owner,
      at,
      operations: {},
      secret,
      subjects: null,
    };
  }

  /** Starts a session of an existing user. All sessions but that of a sign-up are started here. */
  async function startSession(
    request: WriteRequest,
    owner: string,
    createdWith: CreatedWith,
    writes: Write[] = [],
    origin: SessionOrigin = request,
  ): Promise<NewSession> {
    await limits.countSubject("session", request, owner);
    try {
      return await sessions.start(owner, createdWith, origin, writes);
    } catch (error) {
      if (!(error instanceof UniqueConstraintError)) throw error;
      throw (
        factorConflictError(error.scope) ??
        passkeys.ceremonies.conflictError(error) ??
        walletConflictError(error.scope)
      );
    }
  }

  /** Reads a user with the user's own permissions. */
  async function readOwnUser(request: RequestContext, owner: string): Promise<JsonObject> {
    const auth = { kind: "user" as const, userId: owner, roles: [], sessionId: "", sessionToken: "" };
    return JSON.parse(await objects.get({ ...request, auth }, "_User", owner, {}));
  }
}
