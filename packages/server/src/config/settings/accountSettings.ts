import { setting } from "@purse/kernel";
import { passkeyDomain, passkeyOrigins } from "../passkeyOrigins.ts";
import { flag, integer, list, parsed, positiveNumber, settingGroup, smtpUrl, text } from "../settingTypes.ts";
import { type EmailCondition, flagOrFunction, type UserCondition } from "../userConditions.ts";

/** Sign-in, emails and sessions. */
export const accountSettings = {
  ...settingGroup("Users and sessions", {
    enableAnonymousUsers: setting(flag(), { default: "1", description: "1 allows anonymous users." }),
    allowExpiredAuthDataToken: setting(flag(), {
      default: "0",
      description:
        "1 accepts authData at sign-in that equals the stored authData, without verification by its provider, although its token may have expired.",
    }),
    enforcePrivateUsers: setting(flag().optional(), {
      description:
        "Who can read new users without an ACL: 1 only they themselves, 0 everyone. Default: 1 for a new database, 0 for one that had users before this setting existed or received them from a Parse import.",
    }),
    convertUsernameToLowercase: setting(flag(), {
      default: "0",
      description:
        "1 stores usernames in lower case. Usernames that differ only in case are the same in any case.",
    }),
    convertEmailToLowercase: setting(flag(), {
      default: "0",
      description:
        "1 stores email addresses of users in lower case. Addresses that differ only in case are the same in any case.",
    }),
    revokeSessionOnPasswordReset: setting(flag(), {
      default: "1",
      description: "1 revokes a user's other sessions when the password changes.",
    }),
    sessionSeconds: setting(integer(60, 10 * 365 * 24 * 3_600), {
      default: String(365 * 24 * 3_600),
      description: "Lifetime of a session, in seconds.",
    }),
    extendSessionOnUse: setting(flag(), {
      default: "0",
      description:
        "1 extends a session to its full lifetime when it is used after half of it, so that only unused ones end. Sessions that operators started for users are not extended.",
    }),
    signatureSeconds: setting(integer(10, 86_400), {
      default: "300",
      description: "Maximum age of a wallet sign-in signature, in seconds.",
    }),
    passkeyRpId: setting(parsed(passkeyDomain).optional(), {
      description:
        "Domain that passkeys belong to (WebAuthn RP ID): that of your sites, or a parent domain of all of them. Passkeys are lost if it changes. Default: the host of the server's URL.",
    }),
    passkeyOrigins: setting(list(passkeyOrigins).optional(), {
      description:
        "Origins of the pages and Android apps that may use passkeys, separated by commas; http://localhost:* for every port. Default: the server's URL and the hosts of siweDomains.",
    }),
    passkeyChallengeSeconds: setting(integer(30, 3_600), {
      default: "300",
      description: "Time to answer the challenge of a passkey, in seconds.",
    }),
  }),
  ...settingGroup("Email", {
    appName: setting(text(), { default: "Purse", description: "Application name shown in emails." }),
    smtpUrl: setting(smtpUrl().optional(), {
      description:
        "Mail server, such as smtp://user:password@host:587. Default: an outbox folder in development.",
      isSecret: true,
    }),
    verifyUserEmails: setting(flagOrFunction<UserCondition>(), {
      default: "0",
      description:
        "1 sends users a link to verify their email address. In purse.config.ts also a function of { object, original, master, ip, installationId, resendRequest } that returns or resolves to true for users who verify it.",
    }),
    preventLoginWithUnverifiedEmail: setting(flagOrFunction<UserCondition>(), {
      default: "0",
      description:
        "1 allows users to sign in only after verifying their email address; a sign-up has no session until then. In purse.config.ts also a function, as for verifyUserEmails.",
    }),
    preventSignupWithUnverifiedEmail: setting(flag(), {
      default: "0",
      description:
        "1 responds to sign-ups with error 205 if the user must verify the email address first. The user is created nevertheless.",
    }),
    sendUserEmailVerification: setting(flagOrFunction<EmailCondition>(), {
      default: "1",
      description:
        "0 sends no verification emails, for code that sends its own. In purse.config.ts also a function of { user, master }.",
    }),
    emailVerifyTokenReuseIfValid: setting(flag(), {
      default: "0",
      description: "1 keeps earlier verification links valid when a new one is sent.",
    }),
    emailTokenSeconds: setting(positiveNumber(31_536_000), {
      default: "86400",
      description:
        "Lifetime of email verification links, in seconds. Until then, and until the address changes, a link can be opened any number of times.",
    }),
  }),
};
