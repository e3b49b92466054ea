import { z } from "zod";
import { compileRegex } from "../core/regex.ts";

/** Minimum length of passwords in production, in characters, if nothing else tests them: that of NIST SP 800-63B. */
const DEFAULT_MIN_LENGTH = 8;

/** Requirements of passwords. */
export interface PasswordPolicy {
  /** In characters. */
  minLength: number;
  /** Whether a password is strong enough; undefined if every password is. */
  isStrong: ((password: string) => Promise<boolean>) | undefined;
  /** Error message for a weak password. */
  validationError: string;
  doNotAllowUsername: boolean;
  /** In days; undefined if passwords do not expire. */
  maxPasswordAge: number | undefined;
  /** How many previous passwords, including the current one, may not be reused. */
  maxPasswordHistory: number;
  /** Lifetime of password reset links, in seconds. */
  resetTokenSeconds: number;
  /** Whether earlier links stay valid when a new one is sent. */
  resetTokenReuseIfValid: boolean;
  /** Whether a reset for an unknown email address succeeds; otherwise it fails with 205. */
  resetPasswordSuccessOnInvalidEmail: boolean;
}

/** After how many wrong passwords an account is locked, and for how long. */
export interface AccountLockout {
  /** In minutes. */
  duration: number;
  threshold: number;
  /** Undefined for true, or with the compatibility with Parse Server for false. */
  unlockOnPasswordReset: boolean | undefined;
}

const PATTERN = z
  .union([z.instanceof(RegExp), z.string()], { error: "it must be a regular expression" })
  .transform((pattern) =>
    typeof pattern === "string"
      ? compileRegex(pattern.replace(/^\/(.*)\/$/s, "$1"), "")
      : compileRegex(pattern.source, pattern.flags.replace(/[^ims]/g, "")),
  );
const CALLBACK = z.custom<(password: string) => unknown>((value) => typeof value === "function", {
  error: "it must be a function",
});

/** A policy as configured: `minLength` is undefined for the default. */
export type ConfiguredPolicy = Omit<PasswordPolicy, "minLength"> & { minLength: number | undefined };

/** Adds the default minimum length. Tests of the operator's own replace it, since they may accept other passwords. */
export function withMinLength(
  policy: ConfiguredPolicy,
  { environment, compatibility }: { environment: string; compatibility: string },
): PasswordPolicy {
  const isDemanding = environment === "production" && compatibility !== "parse";
  const byDefault = isDemanding && policy.isStrong === undefined ? DEFAULT_MIN_LENGTH : 0;
  return { ...policy, minLength: policy.minLength ?? byDefault };
}

/** `passwordPolicy` of the config file, with the names of Parse Server. */
export const passwordPolicySchema = z
  .strictObject({
    validatorPattern: PATTERN.optional(),
    validatorCallback: CALLBACK.optional(),
    validationError: z.string().default("Password does not meet the Password Policy requirements."),
    doNotAllowUsername: z.boolean().default(false),
    maxPasswordAge: z.number().min(0).max(36_500).optional(),
    minLength: z.int().min(0).max(256).optional(),
    maxPasswordHistory: z.number().min(0).max(20).default(0),
    resetTokenValidityDuration: z.number().positive().max(31_536_000).default(86_400),
    resetTokenReuseIfValid: z.boolean().default(false),
    resetPasswordSuccessOnInvalidEmail: z.boolean().default(true),
  })
  .prefault({})
  .transform((policy): ConfiguredPolicy => {
    const { validatorPattern, validatorCallback: callback } = policy;
    const tests = [...(validatorPattern ? [validatorPattern] : []), ...(callback ? [callback] : [])];
    return {
      isStrong: tests.length > 0 ? (password) => passesAll(tests, password) : undefined,
      validationError: policy.validationError,
      doNotAllowUsername: policy.doNotAllowUsername,
      minLength: policy.minLength,
      maxPasswordAge: policy.maxPasswordAge,
      maxPasswordHistory: policy.maxPasswordHistory,
      resetTokenSeconds: policy.resetTokenValidityDuration,
      resetTokenReuseIfValid: policy.resetTokenReuseIfValid,
      resetPasswordSuccessOnInvalidEmail: policy.resetPasswordSuccessOnInvalidEmail,
    };
  });

/** Callbacks may return promises: one that is not awaited would accept every password. */
async function passesAll(
  tests: readonly ((password: string) => unknown)[],
  password: string,
): Promise<boolean> {
  for (const test of tests) if (!(await test(password))) return false;
  return true;
}

/** `accountLockout` of the config file; `false` disables it. */
export const accountLockoutSchema = z
  .union([
    z.literal(false),
    z.strictObject({
      duration: z.number().positive().max(99_999).default(5),
      threshold: z.int().min(1).max(999).default(10),
      unlockOnPasswordReset: z.boolean().optional(),
    }),
  ])
  .prefault({})
  .transform((value): AccountLockout | undefined =>
    value ? { ...value, unlockOnPasswordReset: value.unlockOnPasswordReset } : undefined,
  );
