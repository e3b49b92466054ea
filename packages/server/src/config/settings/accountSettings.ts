import { passkeyDomain, passkeyOrigins } from "../passkeyOrigins.ts";
import { flag, integer, list, parsed, positiveNumber, setting, smtpUrl, text } from "../settingTypes.ts";
import { type EmailCondition, flagOrFunction, type UserCondition } from "../userConditions.ts";

/** Sign-in, emails and sessions. */
export const accountSettings = {
  enableAnonymousUsers: setting(flag(), {
    group: "Users and sessions",
    env: "PURSE_ENABLE_ANONYMOUS_USERS",
    default: "1",
    description: "1 allows anonymous users.",
  }),
  allowExpiredAuthDataToken: setting(flag(), {
    group: "Users and sessions",
    env: "PURSE_ALLOW_EXPIRED_AUTH_DATA_TOKEN",
    default: "0",
    description:
      "1 accepts authData at sign-in that equals the stored authData, without verification by its provider, although its token may have expired.",
  }),
  appName: setting(text(), {
    group: "Email",
    env: "PURSE_APP_NAME",
    default: "Purse",
    description: "Application name shown in emails.",
  }),
  smtpUrl: setting(smtpUrl().optional(), {
    group: "Email",
    env: "PURSE_SMTP_URL",
    description:
      "Mail server, such as smtp://user:password@host:587. Default: an outbox folder in development.",
    isSecret: true,
  }),
  verifyUserEmails: setting(flagOrFunction<UserCondition>(), {
    group: "Email",
    env: "PURSE_VERIFY_USER_EMAILS",
    default: "0",
    description:
      "1 sends users a link to verify their email address. In purse.config.ts also a function of { object, original, master, ip, installationId, resendRequest } that returns or resolves to true for users who verify it.",
  }),
  preventLoginWithUnverifiedEmail: setting(flagOrFunction<UserCondition>(), {
    group: "Email",
    env: "PURSE_PREVENT_LOGIN_WITH_UNVERIFIED_EMAIL",
    default: "0",
    description:
      "1 allows users to sign in only after verifying their email address; a sign-up has no session until then. In purse.config.ts also a function, as for verifyUserEmails.",
  }),
  preventSignupWithUnverifiedEmail: setting(flag(), {
    group: "Email",
    env: "PURSE_PREVENT_SIGNUP_WITH_UNVERIFIED_EMAIL",
    default: "0",
    description:
      "1 responds to sign-ups with error 205 if the user must verify the email address first. The user is created nevertheless.",
  }),
  sendUserEmailVerification: setting(flagOrFunction<EmailCondition>(), {
    group: "Email",
    env: "PURSE_SEND_USER_EMAIL_VERIFICATION",
    default: "1",
    description:
      "0 sends no verification emails, for code that sends its own. In purse.config.ts also a function of { user, master }.",
  }),
  emailVerifyTokenReuseIfValid: setting(flag(), {
    group: "Email",
    env: "PURSE_EMAIL_VERIFY_TOKEN_REUSE_IF_VALID",
    default: "0",
    description: "1 keeps earlier verification links valid when a new one is sent.",
  }),
  emailTokenSeconds: setting(positiveNumber(31_536_000), {
    group: "Email",
    env: "PURSE_EMAIL_TOKEN_SECONDS",
    default: "86400",
    description: "Lifetime of email verification links, in seconds.",
  }),
  enforcePrivateUsers: setting(flag().optional(), {
    group: "Users and sessions",
    env: "PURSE_ENFORCE_PRIVATE_USERS",
    description:
      "Who can read new users without an ACL: 1 only they themselves, 0 everyone. Default: 1 for a new database, 0 for one that had users before this setting existed or received them from a Parse import.",
  }),
  revokeSessionOnPasswordReset: setting(flag(), {
    group: "Users and sessions",
    env: "PURSE_REVOKE_SESSION_ON_PASSWORD_RESET",
    default: "1",
    description: "1 revokes a user's other sessions when the password changes.",
  }),
  sessionSeconds: setting(integer(60, 10 * 365 * 24 * 3_600), {
    group: "Users and sessions",
    env: "PURSE_SESSION_SECONDS",
    default: String(365 * 24 * 3_600),
    description: "Lifetime of a session, in seconds.",
  }),
  signatureSeconds: setting(integer(10, 86_400), {
    group: "Users and sessions",
    env: "PURSE_SIGNATURE_SECONDS",
    default: "300",
    description: "Maximum age of a wallet sign-in signature, in seconds.",
  }),
  passkeyRpId: setting(parsed(passkeyDomain).optional(), {
    group: "Users and sessions",
    env: "PURSE_PASSKEY_RP_ID",
    description:
      "Domain that passkeys belong to (WebAuthn RP ID): that of your sites, or a parent domain of all of them. Passkeys are lost if it changes. Default: the host of the server's URL.",
  }),
  passkeyOrigins: setting(list(passkeyOrigins).optional(), {
    group: "Users and sessions",
    env: "PURSE_PASSKEY_ORIGINS",
    description:
      "Origins of the pages and Android apps that may use passkeys, separated by commas; http://localhost:* for every port. Default: the server's URL and the hosts of siweDomains.",
  }),
  passkeyChallengeSeconds: setting(integer(30, 3_600), {
    group: "Users and sessions",
    env: "PURSE_PASSKEY_CHALLENGE_SECONDS",
    default: "300",
    description: "Time to answer the challenge of a passkey, in seconds.",
  }),
};
