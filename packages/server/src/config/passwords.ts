import { compileRegex } from "../core/regex.ts";
import { booleanField, numberField, sectionOf, stringField } from "./sectionFields.ts";

/** Requirements of passwords. */
export interface PasswordPolicy {
  /** Whether a password is strong enough; undefined if every password is. */
  isStrong: ((password: string) => boolean) | undefined;
  /** Error message for a weak password. */
  validationError: string;
  doNotAllowUsername: boolean;
  /** In days; undefined if passwords do not expire. */
  maxPasswordAge: number | undefined;
  /** How many previous passwords, including the current one, may not be reused. */
  maxPasswordHistory: number;
  /** Lifetime of password reset links, in seconds. */
  resetTokenSeconds: number;
  /** Whether a reset for an unknown email address succeeds; otherwise it fails with 205. */
  resetPasswordSuccessOnInvalidEmail: boolean;
}

/** After how many wrong passwords an account is locked, and for how long. */
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

/** Parses `passwordPolicy` of the config file. Throws Error that says what is allowed. */
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
      stringField(policy, "validationError") ?? "Password does not meet the Password Policy requirements.",
    doNotAllowUsername: booleanField(policy, "doNotAllowUsername", false),
    maxPasswordAge: numberField(policy, "maxPasswordAge", 0, 36_500),
    maxPasswordHistory: numberField(policy, "maxPasswordHistory", 0, 20) ?? 0,
    resetTokenSeconds: numberField(policy, "resetTokenValidityDuration", 1, 31_536_000) ?? 86_400,
    resetPasswordSuccessOnInvalidEmail: booleanField(policy, "resetPasswordSuccessOnInvalidEmail", true),
  };
}

const LOCKOUT_KEYS: readonly string[] = ["duration", "threshold", "unlockOnPasswordReset"];

/** Parses `accountLockout` of the config file; `false` disables it. Throws Error that says what is allowed. */
export function parseAccountLockout(value: unknown): AccountLockout | undefined {
  if (value === false) return undefined;
  const lockout = sectionOf(value, LOCKOUT_KEYS);
  return {
    duration: numberField(lockout, "duration", 0, 99_999) ?? 5,
    threshold: numberField(lockout, "threshold", 1, 1_000) ?? 10,
    unlockOnPasswordReset: booleanField(lockout, "unlockOnPasswordReset", true),
  };
}

function patternTest(pattern: unknown): (password: string) => boolean {
  if (pattern instanceof RegExp) return compileRegex(pattern.source, pattern.flags.replace(/[^ims]/g, ""));
  if (typeof pattern === "string") return compileRegex(pattern.replace(/^\/(.*)\/$/s, "$1"), "");
  throw new Error("validatorPattern must be a regular expression");
}
