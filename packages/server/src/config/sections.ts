import { resolve } from "node:path";
import { parseAt } from "@purse/kernel";
import type { JsonObject } from "@purse/protocol";
import { isJsonObject, parseAcl } from "@purse/protocol";
import { z } from "zod";
import { accountLimitsSchema } from "./accountLimits.ts";
import { authSchema } from "./auth.ts";
import { customPagesSchema } from "./customPages.ts";
import { keywordDenylistSchema } from "./keywordDenylist.ts";
import { namesSchema } from "./nameServices.ts";
import { accountLockoutSchema, passwordPolicySchema } from "./passwords.ts";
import { rateLimitsSchema } from "./rateLimits.ts";
import { routeAllowListSchema } from "./routeAllowList.ts";
import { schemaOptionsSchema, schemasSchema } from "./schemas.ts";
import { attempt, filePath, type SettingGroup } from "./settingTypes.ts";

/** A structured section of purse.config.ts, which cannot be set by a flag or an environment variable. */
export interface Section {
  group: SettingGroup;
  description: string;
  /** Its output for undefined is the default. */
  schema: z.ZodType;
}

const PROTECTED_FIELDS = z.record(z.string(), z.record(z.string(), z.array(z.string()))).default({});

const DEFAULT_ACL = z
  .custom<JsonObject>(isJsonObject, { error: "it must be an ACL" })
  .superRefine((acl, context) => {
    const { currentUser, ...others } = acl;
    attempt(() => parseAcl({ ...others, ...(currentUser !== undefined && { owner: currentUser }) }), context);
  });

/** All structured sections of purse.config.ts by key, besides the settings and `chains`. */
export const SECTIONS = {
  protectedFields: {
    group: "Classes and permissions",
    description:
      "Fields that are hidden, by class and subject (`*`, `authenticated`, a user's id, or `role:` and a name).",
    schema: PROTECTED_FIELDS,
  },
  userSensitiveFields: {
    group: "Classes and permissions",
    description:
      "Fields of users that only they themselves and the master key read, as if protectedFields listed them for `*`.",
    schema: z.array(z.string()).default([]),
  },
  requestKeywordDenylist: {
    group: "Classes and permissions",
    description:
      'Keys and values that objects may not contain at any depth: a list of { key, value } with regular expressions. Default: [{ key: "_bsontype", value: "Code" }]; `__proto__`, `constructor` and `prototype` are always rejected as keys.',
    schema: keywordDenylistSchema,
  },
  schemas: {
    group: "Classes and permissions",
    description:
      "Classes defined in code: a list of { className, fields, indexes, access or classLevelPermissions }; access is closed, publicRead, usersRead, usersOwn, usersCreate, publicCreate or open. They are created on start; `npm run purse -- schema` shows what would change.",
    schema: schemasSchema,
  },
  schemaOptions: {
    group: "Classes and permissions",
    description:
      "How `schemas` are applied: { strict, deleteExtraFields, recreateModifiedFields, beforeMigration, afterMigration }. The second and third remove values.",
    schema: schemaOptionsSchema,
  },
  auth: {
    group: "Users and sessions",
    description:
      'Sign-in providers by name: { type: "oidc", issuer, clientId }, { module, … } with validateAuthData, or the settings of a provider that Parse Server has built in, such as google: { clientId }.',
    schema: authSchema,
  },
  mail: {
    group: "Email",
    description:
      "Email: `from`, and `adapter`, a module whose default export has sendMail({ to, from, subject, text, html }).",
    schema: z.strictObject({ from: z.string().optional(), adapter: filePath().optional() }).default({}),
  },
  customPages: {
    group: "Email",
    description:
      "URLs of your own pages instead of those of the server: choosePassword, passwordResetSuccess, verifyEmailSuccess, invalidLink, invalidVerificationLink, linkSendSuccess, linkSendFail; parseFrameURL, which the links in emails lead to.",
    schema: customPagesSchema,
  },
  plugins: {
    group: "Cloud code and webhooks",
    description: "Plugin files: modules whose default export is { name, functions }.",
    schema: z.array(filePath().transform((path) => resolve(path))).default([]),
  },
  passwordPolicy: {
    group: "Users and sessions",
    description:
      "minLength (characters; 8 in production without a validator, unless compatibility is parse; 0 otherwise), validatorPattern, validatorCallback, validationError, doNotAllowUsername, maxPasswordAge (days), maxPasswordHistory, resetTokenValidityDuration (s), resetTokenReuseIfValid (earlier links stay valid), resetPasswordSuccessOnInvalidEmail.",
    schema: passwordPolicySchema,
  },
  accountLockout: {
    group: "Users and sessions",
    description:
      "threshold (wrong passwords and codes, 10), duration (minutes, 5), unlockOnPasswordReset; false disables it, except for second-factor codes.",
    schema: accountLockoutSchema,
  },
  accountLimits: {
    group: "Rate limits",
    description:
      "Rate limits of signUp, anonymousSignUp, failedLogIn, session, mailPerAddress, mailPerRecipient, walletMessage, passkeyChallenge, contractWallet, installation and role, each { count, windowSeconds } or false; false disables all. Unset ones have their defaults in production.",
    schema: accountLimitsSchema,
  },
  rateLimits: {
    group: "Rate limits",
    description:
      'Rate limits of the Parse API: a list of { path ("/login", "/functions/:name", "/classes/*"), windowSeconds, count, by ("ip", "user", "session" or "all"), methods, includeMasterKey, includeInternalRequests (those of cloud code), message }. Requests beyond a limit are rejected with 155 and HTTP 429.',
    schema: rateLimitsSchema,
  },
  routeAllowList: {
    group: "Classes and permissions",
    description:
      'The routes of the Parse API that clients without the master key may call, also in batches: a list of regular expressions that match whole paths, such as "login", "classes/Item" or "functions/.*"; [] for none. Other routes are rejected with 119. Files, GraphQL and live queries are not covered. Default: all routes.',
    schema: routeAllowListSchema,
  },
  names: {
    group: "Chains",
    description:
      'Name resolution: `ens` (registries) and `unstoppable` (ProxyReaders) by chain id, in addition to the well-known ones; `gateways`: allowed origins for offchain names (CCIP Read), ["*"] for all public ones, none by default.',
    schema: namesSchema,
  },
  defaultAcl: {
    group: "Classes and permissions",
    description: "ACL of new objects without one; `currentUser` in it stands for the user who creates them.",
    schema: DEFAULT_ACL.optional(),
  },
} satisfies Record<string, Section>;

type SectionKey = keyof typeof SECTIONS;
export type SectionValues = { [K in SectionKey]: z.output<(typeof SECTIONS)[K]["schema"]> };
/** The sections as the config file contains them. */
export type SectionInputs = { [K in SectionKey]?: z.input<(typeof SECTIONS)[K]["schema"]> };

/** Parses all sections of the config file. Throws Error that names the section. */
export function readSections(file: Record<string, unknown>): SectionValues {
  const read = <Schema extends z.ZodType>(key: SectionKey, { schema }: { schema: Schema }) =>
    parseAt(key, schema, file[key]);
  const userSensitiveFields = read("userSensitiveFields", SECTIONS.userSensitiveFields);
  const protectedFields = read("protectedFields", SECTIONS.protectedFields);
  return {
    protectedFields: withSensitiveFields(protectedFields, userSensitiveFields),
    userSensitiveFields,
    requestKeywordDenylist: read("requestKeywordDenylist", SECTIONS.requestKeywordDenylist),
    schemas: read("schemas", SECTIONS.schemas),
    schemaOptions: read("schemaOptions", SECTIONS.schemaOptions),
    auth: read("auth", SECTIONS.auth),
    mail: read("mail", SECTIONS.mail),
    customPages: read("customPages", SECTIONS.customPages),
    plugins: read("plugins", SECTIONS.plugins),
    passwordPolicy: read("passwordPolicy", SECTIONS.passwordPolicy),
    accountLockout: read("accountLockout", SECTIONS.accountLockout),
    accountLimits: read("accountLimits", SECTIONS.accountLimits),
    rateLimits: read("rateLimits", SECTIONS.rateLimits),
    routeAllowList: read("routeAllowList", SECTIONS.routeAllowList),
    names: read("names", SECTIONS.names),
    defaultAcl: read("defaultAcl", SECTIONS.defaultAcl),
  };
}

type ProtectedFieldsByClass = z.output<typeof PROTECTED_FIELDS>;

function withSensitiveFields(byClass: ProtectedFieldsByClass, fields: string[]): ProtectedFieldsByClass {
  if (fields.length === 0) return byClass;
  const { _User: users = {}, ...others } = byClass;
  return { ...others, _User: { ...users, "*": [...new Set([...(users["*"] ?? []), ...fields])] } };
}
