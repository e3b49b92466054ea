import { compileRegex } from "../store/regex.ts";

/** What passwords have to be like. */
export interface PasswordPolicy {
  /** Whether a password is strong enough; without one, every one is. */
  isStrong: ((password: string) => boolean) | undefined;
  /** What is said of one that is not. */
  validationError: string;
  doNotAllowUsername: boolean;
  /** In days; without one they last for ever. */
  maxPasswordAge: number | undefined;
  /** How many passwords, the current one among them, may not be used again. */
  maxPasswordHistory: number;
  /** How long the link of a reset works, in s. */
  resetTokenSeconds: number;
  /** Answers the same for addresses that nobody has; else 205. */
  resetPasswordSuccessOnInvalidEmail: boolean;
}

/** How many wrong passwords lock an account, and for how long. */
export interface AccountLockout {
  /** In minutes. */
  duration: number;
  threshold: number;
  unlockOnPasswordReset: boolean;
}

const POLICY_KEYS: readonly string[] = [
  "validatorPattern",
  "validatorCallback",
  "validationError",
  "doNotAllowUsername",
  "maxPasswordAge",
  "maxPasswordHistory",
  "resetTokenValidityDuration",
  "resetTokenReuseIfValid",
  "resetPasswordSuccessOnInvalidEmail",
];

/** Reads `passwordPolicy` of the config file. Throws Error that says what is allowed. */
export function parsePasswordPolicy(value: unknown): PasswordPolicy {
  const policy = sectionOf(value, POLICY_KEYS);
  const { validatorPattern, validatorCallback } = policy;
  const tests: ((password: string) => boolean)[] = [];
  if (validatorPattern !== undefined) tests.push(patternTest(validatorPattern));
  if (validatorCallback !== undefined) {
    if (typeof validatorCallback !== "function") throw new Error("validatorCallback must be a function");
    tests.push((password) => Boolean(validatorCallback(password)));
  }
  return {
    isStrong: tests.length > 0 ? (password) => tests.every((test) => test(password)) : undefined,
    validationError:
      text(policy, "validationError") ?? "Password does not meet the Password Policy requirements.",
    doNotAllowUsername: flag(policy, "doNotAllowUsername", false),
    maxPasswordAge: number(policy, "maxPasswordAge", 0, 36_500),
    maxPasswordHistory: number(policy, "maxPasswordHistory", 0, 20) ?? 0,
    resetTokenSeconds: number(policy, "resetTokenValidityDuration", 1, 31_536_000) ?? 86_400,
    resetPasswordSuccessOnInvalidEmail: flag(policy, "resetPasswordSuccessOnInvalidEmail", true),
  };
}

const LOCKOUT_KEYS: readonly string[] = ["duration", "threshold", "unlockOnPasswordReset"];

/** Reads `accountLockout` of the config file; `false` turns it off. Throws Error that says what is allowed. */
export function parseAccountLockout(value: unknown): AccountLockout | undefined {
  if (value === false) return undefined;
  const lockout = sectionOf(value, LOCKOUT_KEYS);
  return {
    duration: number(lockout, "duration", 0, 99_999) ?? 5,
    threshold: number(lockout, "threshold", 1, 1_000) ?? 10,
    unlockOnPasswordReset: flag(lockout, "unlockOnPasswordReset", true),
  };
}

function patternTest(pattern: unknown): (password: string) => boolean {
  if (pattern instanceof RegExp) return compileRegex(pattern.source, pattern.flags.replace(/[^ims]/g, ""));
  if (typeof pattern === "string") return compileRegex(pattern.replace(/^\/(.*)\/$/s, "$1"), "");
  throw new Error("validatorPattern must be a regular expression");
}

type Section = Record<string, unknown>;

/** A part of the config file, as an object whose keys are all known. */
export function sectionOf(value: unknown, keys: readonly string[]): Section {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`it must be an object with ${keys.join(", ")}`);
  }
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new Error(`"${unknown}" is not known; known are ${keys.join(", ")}`);
  return { ...value };
}

export function text(section: Section, key: string): string | undefined {
  const value = section[key];
  if (value === undefined || typeof value === "string") return value;
  throw new Error(`${key} must be a text`);
}

export function flag(section: Section, key: string, fallback: boolean): boolean {
  const value = section[key];
  if (value === undefined) return fallback;
  if (typeof value === "boolean") return value;
  throw new Error(`${key} must be true or false`);
}

function number(section: Section, key: string, least: number, most: number): number | undefined {
  const value = section[key];
  if (value === undefined) return undefined;
  if (typeof value === "number" && value >= least && value <= most) return value;
  throw new Error(`${key} must be a number from ${least} to ${most}`);
}
