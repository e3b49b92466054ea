import type { AuthProviderConfig } from "../config/auth.ts";
import type { CustomPages } from "../config/customPages.ts";
import type { AccountLockout, PasswordPolicy } from "../config/passwords.ts";
import type { EmailCondition, UserCondition } from "../config/userConditions.ts";
import type { EventBus } from "../core/eventBus.ts";
import type { Logger } from "../core/logger.ts";
import type { Mailer, MailService } from "../core/mail.ts";
import type { Objects } from "../data/objects/objects.ts";
import type { AuthTriggers } from "../data/objects/triggers.ts";
import type { ClassSchema } from "../database/classSchema.ts";
import type { Store } from "../database/store.ts";
import type { AccountLimits } from "./accountLimits.ts";
import type { BalanceReader } from "./balanceReader.ts";
import type { ChainReader } from "./contractWallet.ts";
import type { Passwords } from "./password.ts";

export interface AuthConfig {
  appId: string;
  /** `parse` does what Parse Server does where Purse is safer by default. */
  compatibility: "strict" | "parse";
  /** Lifetime of a session, in seconds. */
  sessionSeconds: number;
  /** Whether sessions that are used after half of their lifetime are extended. */
  extendSessionOnUse?: boolean;
  /** Maximum age of a signed sign-in message, in seconds. */
  signatureSeconds: number;
  /** Hosts of the sites that may request wallet signatures; `:*` matches every port. */
  siweDomains: readonly string[];
  /** Domain and origins of passkeys; undefined for those of the public URL and the sites. */
  passkeyRpId?: string | undefined;
  passkeyOrigins?: readonly string[] | undefined;
  /** Time to answer the challenge of a passkey, in seconds. */
  passkeyChallengeSeconds: number;
  /** Application name shown in emails. */
  appName: string;
  /** Public URL of the Parse API. */
  publicUrl(): string;
  verifyUserEmails: boolean | UserCondition;
  preventLoginWithUnverifiedEmail: boolean | UserCondition;
  sendUserEmailVerification: boolean | EmailCondition;
  /** Whether the sign-up of a user who has to verify the address first is answered with 205. The user is created. */
  preventSignupWithUnverifiedEmail: boolean;
  /** Whether earlier verification links stay valid when a new one is sent. */
  emailVerifyTokenReuseIfValid: boolean;
  /** URLs of pages that replace those of the server. */
  customPages: CustomPages;
  /** Lifetime of email verification links, in seconds. */
  emailTokenSeconds: number;
  /** Sign-in providers by name. */
  auth: Readonly<Record<string, AuthProviderConfig>>;
  enableAnonymousUsers: boolean;
  /** Whether authData that equals the stored one signs in without verification. */
  allowExpiredAuthDataToken: boolean;
  /** Minimum length of an anonymous ID, in characters. */
  minAnonymousIdLength: number;
  policy: PasswordPolicy;
  accountLockout: AccountLockout | undefined;
  /** Whether only users themselves may read new users; undefined for what the database has recorded. */
  enforcePrivateUsers?: boolean | undefined;
  /** Whether a password change revokes the user's other sessions. */
  revokeSessionOnPasswordReset: boolean;
  /** Whether usernames and email addresses are stored in lower case. */
  convertUsernameToLowercase?: boolean;
  convertEmailToLowercase?: boolean;
  /** Whether clients may create roles without signing in. */
  allowAnonymousRoles: boolean;
}

export interface AuthDependencies {
  store: Store;
  /** Returns the schema of a system class. */
  schemaOf(className: string): ClassSchema;
  objects: Objects;
  passwords: Passwords;
  config: AuthConfig;
  /** Undefined if email is not configured. */
  mailer: Mailer | undefined;
  /** Renders the emails. */
  mailTemplates: Pick<MailService, "render">;
  /** Milliseconds since the epoch. */
  clock(): number;
  logger: Logger;
  events: EventBus;
  chains: ChainReader;
  balances: BalanceReader;
  limits: AccountLimits;
  /** Cloud code triggers for sign-in and sign-out; looked up on each use. */
  triggers: AuthTriggers;
}
