import { z } from "zod";
import { compileRegex } from "../core/regex.ts";

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

/** `passwordPolicy` of the config file, with the names of Parse Server. */
export const passwordPolicySchema = z
  .strictObject({
    validatorPattern: PATTERN.optional(),
    validatorCallback: CALLBACK.optional(),
    validationError: z.string().default("Password does not meet the Password Policy requirements."),
    doNotAllowUsername: z.boolean().default(false),
    maxPasswordAge: z.number().min(0).max(36_500).optional(),
    maxPasswordHistory: z.number().min(0).max(20).default(0),
    resetTokenValidityDuration: z.number().min(1).max(31_536_000).default(86_400),
    resetTokenReuseIfValid: z.unknown().optional(),
    resetPasswordSuccessOnInvalidEmail: z.boolean().default(true),
  })
  .prefault({})
  .transform((policy): PasswordPolicy => {
    const { validatorPattern, validatorCallback: callback } = policy;
    const tests = [...(validatorPattern ? [validatorPattern] : []), ...(callback ? [callback] : [])];
    return {
      isStrong: tests.length > 0 ? (password) => tests.every((test) => Boolean(test(password))) : undefined,
      validationError: policy.validationError,
      doNotAllowUsername: policy.doNotAllowUsername,
      maxPasswordAge: policy.maxPasswordAge,
      maxPasswordHistory: policy.maxPasswordHistory,
      resetTokenSeconds: policy.resetTokenValidityDuration,
      resetPasswordSuccessOnInvalidEmail: policy.resetPasswordSuccessOnInvalidEmail,
    };
  });

/** `accountLockout` of the config file; `false` disables it. */
export const accountLockoutSchema = z
  .union([
    z.literal(false),
    z.strictObject({
      duration: z.number().min(0).max(99_999).default(5),
      threshold: z.number().min(1).max(1_000).default(10),
      unlockOnPasswordReset: z.boolean().default(true),
    }),
  ])
  .prefault({})
  .transform((value): AccountLockout | undefined => value || undefined);
