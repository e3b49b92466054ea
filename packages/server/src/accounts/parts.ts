import { ErrorCode, MAX_EMAIL_LENGTH, MAX_USERNAME_LENGTH, ProtocolError } from "@purse/protocol";
import type { AuthTriggers } from "../cloud/index.ts";
import type { AuthProviderConfig } from "../config/auth.ts";
import type { AccountLockout, PasswordPolicy } from "../config/passwords.ts";
import type { Mailer } from "../messages/mailer.ts";
import type { MailTemplates } from "../messages/mailTemplates.ts";
import type { Objects } from "../objects/objects.ts";
import type { Logger } from "../observe/logger.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import type { Store } from "../store/store.ts";
import type { AccountLimits } from "./accountLimits.ts";
import type { ChainReader } from "./contractWallet.ts";
import type { Holdings } from "./gates.ts";
import type { Passwords } from "./password.ts";

export interface AccountsConfig {
  appId: string;
  /** How long a session lasts, in seconds. */
  sessionSeconds: number;
  /** How old a signed sign-in message may be, in seconds. */
  signatureSeconds: number;
  /** Hosts of the sites that may have wallets sign; `:*` stands for every port. */
  siweDomains: readonly string[];
  /** What mails call the application. */
  appName: string;
  /** The Parse protocol's address as clients see it. */
  publicUrl(): string;
  verifyUserEmails: boolean;
  preventLoginWithUnverifiedEmail: boolean;
  /** How long the link that proves an address works, in s. */
  emailTokenSeconds: number;
  /** Services by which people sign in, by name. */
  auth: Readonly<Record<string, AuthProviderConfig>>;
  enableAnonymousUsers: boolean;
  /** How many characters an anonymous id has at least. */
  anonymousIdLength: number;
  policy: PasswordPolicy;
  accountLockout: AccountLockout | undefined;
  /** Whether a new password ends the user's other sessions. */
  revokeSessionOnPasswordReset: boolean;
  /** Whether clients create roles without signing in. */
  allowAnonymousRoles: boolean;
}

export interface AccountsParts {
  store: Store;
  /** The schema of a class that the server brings. */
  schemaOf(className: string): ClassSchema;
  objects: Objects;
  passwords: Passwords;
  config: AccountsConfig;
  /** Undefined where mails cannot be sent. */
  mailer: Mailer | undefined;
  /** What mails say. */
  mails: Pick<MailTemplates, "mail">;
  /** Milliseconds since the epoch. */
  clock(): number;
  log: Logger;
  chains: ChainReader;
  holdings: Holdings;
  limits: AccountLimits;
  /** What cloud code does when people sign in and out; asked for when it is needed. */
  triggers: AuthTriggers;
}

/** Claims that accounts hold, by scope; the owner is the user's id, for session tokens the session's. */
export const CLAIM = {
  username: "_User.username",
  email: "_User.email",
  address: "_EthAddress",
  role: "_Role.name",
  sessionToken: "_Session.sessionToken",
  /** The session of a user on an installation; the value is a hash of both, the owner the session's id. */
  installation: "_Session.installation",
  signature: "signature",
  siweNonce: "siwe-nonce",
  /** The chain by which a contract wallet signs in; the value is its address, the owner the chain's id. */
  contractChain: "_EthAddress.contractChain",
  /** A value per user that changes with the ways into the account; the owner is the present state. */
  credentials: "_User.credentials",
} as const;

/** Usernames and addresses are no longer. */
const MAX_FOLDED_LENGTH = Math.max(MAX_USERNAME_LENGTH, MAX_EMAIL_LENGTH);

/**
 * Names that look alike to people count as the same: case and Unicode variants are folded. A folded name may have many
 * times the characters of the name. Throws 142 for what is too long to be one.
 */
export function foldName(name: string): string {
  if (name.length > MAX_FOLDED_LENGTH) {
    throw new ProtocolError(
      ErrorCode.VALIDATION_ERROR,
      `A name takes ${MAX_FOLDED_LENGTH} characters at most`,
    );
  }
  return name.normalize("NFKC").toLowerCase();
}
