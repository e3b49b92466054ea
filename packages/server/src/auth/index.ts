import { isJsonObject, type JsonValue } from "@purse/protocol";
import type { AuthContext } from "../core/authContext.ts";
import type { FunctionCall } from "../core/functionCall.ts";
import type { ApiRoute } from "../core/http/apiRoute.ts";
import type { ClassRules } from "../data/objects/classRules.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import { AccountEmails } from "./accountEmails.ts";
import { AccountPages } from "./accountPages.ts";
import type { AuthDependencies } from "./authDependencies.ts";
import { Challenges } from "./challenges.ts";
import { ethAddressRules } from "./ethAddressRules.ts";
import { type TokenGateResult, TokenGates } from "./evaluateTokenGates.ts";
import { installationRules } from "./installationRules.ts";
import { createSaveInstallation, type SaveInstallation } from "./installations.ts";
import { Lockout } from "./lockout.ts";
import { passkeyRoutes } from "./passkeys/passkeyRoutes.ts";
import { UserPasskeys } from "./passkeys/userPasskeys.ts";
import { PrivateUsers } from "./privateUsers.ts";
import { AuthProviders } from "./providers/authProviders.ts";
import { roleRules } from "./roleRules.ts";
import { authRoutes } from "./routes.ts";
import { SecondFactor } from "./secondFactor.ts";
import { sessionRules } from "./sessionRules.ts";
import { Sessions } from "./sessions.ts";
import { SOLANA_PROVIDER } from "./solana/solanaWallet.ts";
import { userRules } from "./userRules.ts";
import { Wallets } from "./wallets.ts";

export type { Challenges } from "./challenges.ts";

export interface AuthService {
  rules: ClassRules[];
  routes: ApiRoute<WriteRequest>[];
  /** Resolves once all configured sign-in providers are loaded. */
  ready(): Promise<void>;
  /** Cloud functions that clients can call. */
  functions: { name: string; run(call: FunctionCall): Promise<JsonValue> }[];
  /** Messages that backends have signed and verified without a session. */
  challenges: Challenges;
  /** Authenticates a session token. Throws 209. */
  authenticateSession(sessionToken: string): Promise<AuthContext>;
  /** The sender of a session that was authenticated a moment ago, without waiting; undefined for all others. */
  knownSession(sessionToken: string): AuthContext | undefined;
  /** Returns the auth context of a user without a session, for checking permissions. Throws 101. */
  authContextFor(userId: string): Promise<AuthContext>;
  /** Ends the sessions of users that an operator has started. */
  endOperatorSessions(operatorId: string): Promise<void>;
  /** Evaluates all token gates for a user. */
  evaluateTokenGates(userId: string): Promise<TokenGateResult[]>;
  /** Whether a user signed in anonymously, with an ID known only to their device. */
  isAnonymousUser(userId: string): Promise<boolean>;
  /** Saves the installation of a device; each device has one. */
  saveInstallation: SaveInstallation;
  /** Starts watching transfers of the tokens that gate roles. */
  start(): void;
  stop(): Promise<void>;
}

/** Creates the account service: sign-up, sign-in and sign-out by password, wallet or provider, and its system classes. */
export function createAuthService(dependencies: AuthDependencies): AuthService {
  const sessions = new Sessions(dependencies, (userId) => tokenGates.gatedRolesOf(userId));
  const tokenGates = new TokenGates(dependencies, (invalidation) => sessions.invalidate(invalidation));
  sessions.onInvalidated((invalidation) => {
    const { userId, sessionId } = invalidation;
    dependencies.events.emit("session.revoked", invalidation);
    if (userId === undefined && sessionId === undefined) tokenGates.invalidateRoles();
  });
  const lockout = new Lockout(dependencies);
  const passkeys = new UserPasskeys(dependencies);
  const secondFactor = new SecondFactor({
    lockout,
    limits: dependencies.limits,
    clock: dependencies.clock,
    verifyPasskey: (userId, assertion) => passkeys.verifyFactor(userId, assertion),
  });
  const email = new AccountEmails(dependencies);
  const pages = new AccountPages(dependencies, email, lockout);
  const wallets = new Wallets(dependencies);
  const providers = new AuthProviders(dependencies, { [SOLANA_PROVIDER]: wallets.solanaAdapter() });
  const privateUsers = new PrivateUsers(dependencies);
  return {
    rules: [
      userRules({ dependencies, sessions, wallets, email, secondFactor, providers, passkeys, privateUsers }),
      sessionRules(sessions),
      installationRules(dependencies.limits),
      roleRules(sessions, dependencies.chains.idOf, dependencies.limits, dependencies.config),
      ethAddressRules(dependencies, wallets, passkeys, sessions),
      passkeys.rules(),
    ],
    routes: [
      ...authRoutes({ dependencies, sessions, wallets, email, lockout, secondFactor, providers, passkeys }),
      ...passkeyRoutes({ dependencies, passkeys, secondFactor }),
      ...email.routes,
      ...pages.routes,
    ],
    ready: () => providers.ready(),
    functions: [
      { name: "requestMessage", run: (request) => wallets.requestMessage(request.params, request) },
      { name: "requestNonce", run: (request) => wallets.requestNonce(request.params, request) },
    ],
    challenges: new Challenges(wallets, dependencies),
    authenticateSession: (sessionToken) => sessions.authenticate(sessionToken),
    knownSession: (sessionToken) => sessions.known(sessionToken),
    endOperatorSessions: (operatorId) => sessions.endOfOperator(operatorId),
    authContextFor: (userId) => sessions.authContextFor(userId),
    evaluateTokenGates: (userId) => tokenGates.evaluate(userId),
    isAnonymousUser: async (userId) => {
      const user = await dependencies.store.getSecret(dependencies.schemaOf("_User"), userId);
      return isJsonObject(user?.secret.authData) && user.secret.authData.anonymous !== undefined;
    },
    saveInstallation: createSaveInstallation(dependencies, dependencies.objects),
    start: () => tokenGates.start(),
    stop: () => tokenGates.stop(),
  };
}
