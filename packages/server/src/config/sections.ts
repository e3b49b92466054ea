import { resolve } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { isJsonObject, parseAcl } from "@purse/protocol";
import { parseAccountLimits } from "./accountLimits.ts";
import { parseAuth } from "./auth.ts";
import { parseWatchList } from "./eventWatches.ts";
import { parseFileUpload } from "./fileUpload.ts";
import { parseNames } from "./names.ts";
import { parseAccountLockout, parsePasswordPolicy } from "./passwords.ts";
import { parsePush } from "./push.ts";
import { parseRateLimits } from "./rateLimits.ts";
import { parseSchemas } from "./schemas.ts";
import { sectionOf, stringField } from "./sectionFields.ts";
import type { SettingGroup } from "./settingTypes.ts";

/** A structured section of purse.config.ts, which cannot be set by a flag or an environment variable. */
export interface Section<T> {
  group: SettingGroup;
  description: string;
  /** Parses the value of the file; undefined if it is not set. Throws Error that says what is allowed. */
  parse(value: unknown): T;
}

/** All structured sections of purse.config.ts by key, besides the settings and `chains`. */
export const SECTIONS = {
  protectedFields: {
    group: "Classes and permissions",
    description:
      "Fields that are hidden, by class and subject (`*`, `authenticated`, a user's id, or `role:` and a name).",
    parse: protectedFields,
  },
  schemas: {
    group: "Classes and permissions",
    description:
      "Classes defined by code: a list of { className, fields, indexes, classLevelPermissions }. They are created on start; `npm run purse -- schema` shows what would change.",
    parse: parseSchemas,
  },
  auth: {
    group: "Users and sessions",
    description:
      'Sign-in providers by name: { type: "oidc", issuer, clientId }, or { module, … } with validateAuthData.',
    parse: parseAuth,
  },
  mail: {
    group: "Email",
    description:
      "Email: `from`, and `adapter`, a module whose default export has sendMail({ to, from, subject, text, html }).",
    parse: mail,
  },
  plugins: {
    group: "Cloud code and webhooks",
    description: "Plugin files: modules whose default export is { name, functions }.",
    parse: plugins,
  },
  passwordPolicy: {
    group: "Users and sessions",
    description:
      "validatorPattern, validatorCallback, validationError, doNotAllowUsername, maxPasswordAge (days), maxPasswordHistory, resetTokenValidityDuration (s), resetPasswordSuccessOnInvalidEmail.",
    parse: parsePasswordPolicy,
  },
  fileUpload: {
    group: "Files",
    description:
      "enableForPublic (false), enableForAnonymousUser (false), enableForAuthenticatedUser (true), fileExtensions: a list of extensions and regular expressions, `*` for all; by default all that browsers do not execute.",
    parse: parseFileUpload,
  },
  accountLockout: {
    group: "Users and sessions",
    description:
      "threshold (wrong passwords and codes, 10), duration (minutes, 5), unlockOnPasswordReset; false disables it, except for second-factor codes.",
    parse: parseAccountLockout,
  },
  accountLimits: {
    group: "Rate limits",
    description:
      "Rate limits of signUp, anonymousSignUp, failedLogIn, session, mailPerAddress, mailPerRecipient, walletMessage, contractWallet and role, each { count, windowSeconds } or false; false disables all. Unset ones have their defaults in production.",
    parse: parseAccountLimits,
  },
  rateLimits: {
    group: "Rate limits",
    description:
      'Rate limits of the Parse API: a list of { path ("/login", "/functions/:name", "/classes/*"), windowSeconds, count, by ("ip", "user", "session" or "all"), methods, includeMasterKey }. Requests beyond a limit are rejected with 155 and HTTP 429.',
    parse: parseRateLimits,
  },
  push: {
    group: "Push notifications",
    description:
      "Push services: webPush { subject, publicKey, privateKey, services }, fcm { serviceAccount }, apns { keyId, teamId, privateKey, topic, production }.",
    parse: parsePush,
  },
  names: {
    group: "Chains",
    description:
      'Name resolution: `ens` (registries) and `unstoppable` (ProxyReaders) by chain id, in addition to the well-known ones; `gateways`: allowed origins for offchain names (CCIP Read), ["*"] for all public ones, none by default.',
    parse: parseNames,
  },
  watch: {
    group: "Chains",
    description:
      "Store on-chain events as objects: a list of { chainId, address, abi, topic, tableName, filter, sync_historical, confirmations, webhook }; without abi, the transfers of the address.",
    parse: parseWatchList,
  },
  defaultAcl: {
    group: "Classes and permissions",
    description: "ACL of new objects without one; `currentUser` in it stands for the user who creates them.",
    parse: (value: unknown): JsonObject | undefined => {
      if (value === undefined) return undefined;
      const { currentUser, ...others } = record(value, "an ACL");
      parseAcl({ ...others, ...(currentUser !== undefined && { owner: currentUser }) });
      return record(value, "an ACL");
    },
  },
} satisfies Record<string, Section<unknown>>;

export type SectionKey = keyof typeof SECTIONS;
export type SectionValues = { [K in SectionKey]: ReturnType<(typeof SECTIONS)[K]["parse"]> };

/** Parses all sections of the config file. Throws Error that names the section. */
export function readSections(file: Record<string, unknown>): SectionValues {
  const read = <T>(key: SectionKey, section: Section<T>): T => {
    try {
      return section.parse(file[key]);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`"${key}" of the config file: ${reason}`);
    }
  };
  return {
    protectedFields: read("protectedFields", SECTIONS.protectedFields),
    schemas: read("schemas", SECTIONS.schemas),
    auth: read("auth", SECTIONS.auth),
    mail: read("mail", SECTIONS.mail),
    plugins: read("plugins", SECTIONS.plugins),
    passwordPolicy: read("passwordPolicy", SECTIONS.passwordPolicy),
    fileUpload: read("fileUpload", SECTIONS.fileUpload),
    accountLockout: read("accountLockout", SECTIONS.accountLockout),
    accountLimits: read("accountLimits", SECTIONS.accountLimits),
    rateLimits: read("rateLimits", SECTIONS.rateLimits),
    push: read("push", SECTIONS.push),
    names: read("names", SECTIONS.names),
    watch: read("watch", SECTIONS.watch),
    defaultAcl: read("defaultAcl", SECTIONS.defaultAcl),
  };
}

/** Throws Error if a value is not an object. */
export function record(value: unknown, what: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Error(`it must be ${what}`);
}

function mail(value: unknown): { from?: string | undefined; adapter?: string | undefined } {
  const section = sectionOf(value, ["from", "adapter"]);
  return { from: stringField(section, "from"), adapter: stringField(section, "adapter") };
}

function plugins(value: unknown): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((path) => typeof path === "string")) {
    return value.map((path) => resolve(path));
  }
  throw new Error("it must be a list of files");
}

function protectedFields(value: unknown): Record<string, Record<string, string[]>> {
  if (value === undefined) return {};
  const classes: Record<string, Record<string, string[]>> = {};
  for (const [className, subjects] of Object.entries(record(value, "an object by class"))) {
    classes[className] = {};
    for (const [subject, fields] of Object.entries(record(subjects, "an object by class and principal"))) {
      if (!Array.isArray(fields) || !fields.every((field) => typeof field === "string")) {
        throw new Error(`${className}.${subject} must be a list of field names`);
      }
      classes[className][subject] = fields;
    }
  }
  return classes;
}
