import { isJsonObject, type JsonValue } from "@purse/protocol";
import type { Caller } from "../caller.ts";
import type { ApiRequest, ApiRoute } from "../http/api.ts";
import type { ClassRules } from "../objects/rules.ts";
import { Providers } from "./auth/providers.ts";
import { Email } from "./email.ts";
import { ethAddressRules } from "./ethAddressRules.ts";
import { type GateStanding, Gates } from "./gates.ts";
import { installationRules } from "./installationRules.ts";
import { findInstallation, type KnownInstallation } from "./installations.ts";
import { Lockout } from "./lockout.ts";
import type { AccountsParts } from "./parts.ts";
import { roleRules } from "./roleRules.ts";
import { accountRoutes } from "./routes.ts";
import { SecondFactor } from "./secondFactor.ts";
import { sessionRules } from "./sessionRules.ts";
import { Sessions } from "./sessions.ts";
import { userRules } from "./userRules.ts";
import { Wallets } from "./wallets.ts";

export type { ChainReader } from "./contractWallet.ts";
export type { GateStanding } from "./gates.ts";
export type { AccountsConfig, AccountsParts } from "./parts.ts";

export interface Accounts {
  rules: ClassRules[];
  routes: ApiRoute[];
  /** Resolves once everything configured has been loaded. */
  ready(): Promise<void>;
  /** Functions that clients call by name. */
  functions: { name: string; run(request: ApiRequest): Promise<JsonValue> }[];
  /** Who a session token stands for now. Throws 209. */
  callerOf(sessionToken: string): Promise<Caller>;
  /** A user with their roles, for whoever looks at what they may do. Throws 101. */
  asUser(userId: string): Promise<Caller>;
  /** What each gate of a role says of a user. */
  gateStandingsOf(userId: string): Promise<GateStanding[]>;
  /** Whether a user is known by nothing but an id that only their device has. */
  isAnonymousUser(userId: string): Promise<boolean>;
  /** Finds an installation by its id, past every permission. */
  findInstallation(installationId: string): Promise<KnownInstallation | undefined>;
  /** Calls back when sessions of a user, or one session, or any of all, may have ended. */
  onSessionsChanged(listener: (of: { userId?: string; sessionId?: string }) => void): void;
  /** Follows what the tokens do that roles ask for, until it is stopped. */
  start(): void;
  stop(): Promise<void>;
}

/** People: how they sign up, in and out, by password and by wallet, and the classes that this lives in. */
export function createAccounts(parts: AccountsParts): Accounts {
  const sessions = new Sessions(parts, (userId) => gates.rolesOf(userId));
  const gates = new Gates(parts, (forgotten) => sessions.forget(forgotten));
  sessions.onForgotten(({ userId, sessionId }) => {
    if (userId === undefined && sessionId === undefined) gates.rolesChanged();
  });
  const lockout = new Lockout(parts);
  const secondFactor = new SecondFactor({ lockout, limits: parts.limits, clock: parts.clock });
  const email = new Email(parts, lockout);
  const providers = new Providers(parts);
  const wallets = new Wallets(parts);
  return {
    rules: [
      userRules({ parts, sessions, wallets, email, secondFactor, providers }),
      sessionRules(sessions),
      installationRules(),
      roleRules(sessions, parts.chains.idOf, parts.limits, parts.config),
      ethAddressRules(parts, wallets, sessions),
    ],
    routes: [
      ...accountRoutes({ parts, sessions, wallets, email, lockout, secondFactor, providers }),
      ...email.routes,
    ],
    ready: () => providers.ready(),
    functions: [
      { name: "requestMessage", run: (request) => wallets.requestMessage(request.params, request) },
    ],
    callerOf: (sessionToken) => sessions.callerOf(sessionToken),
    asUser: (userId) => sessions.userCaller(userId),
    gateStandingsOf: (userId) => gates.standingsOf(userId),
    isAnonymousUser: async (userId) => {
      const user = await parts.store.getSecret(parts.schemaOf("_User"), userId);
      return isJsonObject(user?.secret.authData) && user.secret.authData.anonymous !== undefined;
    },
    findInstallation: (installationId) => findInstallation(parts, installationId),
    onSessionsChanged: (listener) => sessions.onForgotten(listener),
    start: () => gates.start(),
    stop: () => gates.stop(),
  };
}
