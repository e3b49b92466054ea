import { resolve } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { isJsonObject, parseAcl } from "@purse/protocol";
import { parseWatchList } from "../chainEvents/index.ts";
import { parseAccountLimits } from "./accountLimits.ts";
import { parseAuth } from "./auth.ts";
import { parseFileUpload } from "./fileUpload.ts";
import { parseNames } from "./names.ts";
import { parseAccountLockout, parsePasswordPolicy, sectionOf, text } from "./passwords.ts";
import { parsePush } from "./push.ts";
import { parseRateLimits } from "./rateLimits.ts";
import { parseSchemas } from "./schemas.ts";

/** A part of purse.config.ts that has a structure of its own, and so cannot be a flag or a variable. */
export interface Section<T> {
  about: string;
  /** Reads what the file holds; undefined where it holds nothing. Throws Error that says what is allowed. */
  parse(value: unknown): T;
}

/** Every structured part of purse.config.ts by its key, beside the settings and `chains`. */
export const SECTIONS = {
  protectedFields: {
    about:
      "By class and principal (`*`, `authenticated`, a user's id, `role:` and a name), the fields that it does not see.",
    parse: protectedFields,
  },
  schemas: {
    about:
      "Classes that the code defines: a list of { className, fields, indexes, classLevelPermissions }. They are made at the start; `npm run purse -- schema` shows what would change.",
    parse: parseSchemas,
  },
  auth: {
    about:
      'Services to sign in by, by name: { type: "oidc", issuer, clientId }, or { module, … } with validateAuthData.',
    parse: parseAuth,
  },
  mail: {
    about:
      "`from`, and `adapter`: a module whose default export has sendMail({ to, from, subject, text, html }).",
    parse: mail,
  },
  plugins: {
    about: "Files of plugins: modules whose default export is { name, functions }.",
    parse: plugins,
  },
  passwordPolicy: {
    about:
      "validatorPattern, validatorCallback, validationError, doNotAllowUsername, maxPasswordAge (days), maxPasswordHistory, resetTokenValidityDuration (s), resetPasswordSuccessOnInvalidEmail.",
    parse: parsePasswordPolicy,
  },
  fileUpload: {
    about:
      "enableForPublic (false), enableForAnonymousUser (false), enableForAuthenticatedUser (true), fileExtensions: a list of extensions and regular expressions, `*` for all; without it all but what browsers run.",
    parse: parseFileUpload,
  },
  accountLockout: {
    about:
      "threshold (wrong passwords and codes, 10), duration (minutes, 5), unlockOnPasswordReset; false for none, but for codes of a second factor.",
    parse: parseAccountLockout,
  },
  accountLimits: {
    about:
      "Limits of signUp, anonymousSignUp, failedLogIn, session, mailPerAddress, mailPerRecipient, walletMessage, contractWallet and role, each { count, windowSeconds } or false; false for none. What is not named has its default in production.",
    parse: parseAccountLimits,
  },
  rateLimits: {
    about:
      'Limits of the Parse protocol: a list of { path ("/login", "/functions/:name", "/classes/*"), windowSeconds, count, by ("ip", "user", "session" or "all"), methods, includeMasterKey }. Too many are refused with 155 and HTTP 429.',
    parse: parseRateLimits,
  },
  push: {
    about:
      "Services for push messages: webPush { subject, publicKey, privateKey, services }, fcm { serviceAccount }, apns { keyId, teamId, privateKey, topic, production }.",
    parse: parsePush,
  },
  names: {
    about:
      'Where names are resolved: `ens` (registries) and `unstoppable` (ProxyReaders) by chain id, beside the well-known ones; `gateways`: origins that may be asked for names outside of chains (CCIP-Read), ["*"] for all public ones, none without it.',
    parse: parseNames,
  },
  watch: {
    about:
      "What happens on chains as objects: a list of { chainId, address, abi, topic, tableName, filter, sync_historical, confirmations, webhook }; without abi, what the address moves.",
    parse: parseWatchList,
  },
  defaultAcl: {
    about: "ACL of new objects that bring none; `currentUser` in it stands for whoever creates them.",
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

/** Reads all sections of the config file. Throws Error that names the section. */
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

/** Throws Error where a value is not an object. */
export function record(value: unknown, what: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Error(`it must be ${what}`);
}

function mail(value: unknown): { from?: string | undefined; adapter?: string | undefined } {
  const section = sectionOf(value, ["from", "adapter"]);
  return { from: text(section, "from"), adapter: text(section, "adapter") };
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
  for (const [className, principals] of Object.entries(record(value, "an object by class"))) {
    classes[className] = {};
    for (const [principal, fields] of Object.entries(
      record(principals, "an object by class and principal"),
    )) {
      if (!Array.isArray(fields) || !fields.every((field) => typeof field === "string")) {
        throw new Error(`${className}.${principal} must be a list of field names`);
      }
      classes[className][principal] = fields;
    }
  }
  return classes;
}
