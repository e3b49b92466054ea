import { z } from "zod";
import { LIMIT_FIELDS } from "./rateLimits.ts";

/** Maximum count in a window that starts with the first request. */
export interface AccountLimit {
  count: number;
  windowSeconds: number;
}

/**
 * Default rate limits of accounts, enabled in production:
 *
 * - `signUp`: sign-ups per IP address, including rejected ones, which reveal whether a name is taken
 * - `anonymousSignUp`: new anonymous users per IP address
 * - `failedLogIn`: wrong passwords and codes per IP address, for any user
 * - `session`: new sessions per user
 * - `mailPerAddress`: password reset and verification emails requested per IP address
 * - `mailPerRecipient`: the same per email address, whether it is registered or not
 * - `walletMessage`: sign-in messages (`requestMessage`) per IP address
 * - `passkeyChallenge`: challenges for passkeys per IP address
 * - `contractWallet`: signature checks of contract wallets per IP address
 * - `installation`: new installations per IP address
 * - `role`: new roles per user, or per IP address if no user is signed in
 */
export const DEFAULT_ACCOUNT_LIMITS = {
  signUp: { count: 60, windowSeconds: 3_600 },
  anonymousSignUp: { count: 120, windowSeconds: 3_600 },
  failedLogIn: { count: 50, windowSeconds: 600 },
  session: { count: 100, windowSeconds: 600 },
  mailPerAddress: { count: 60, windowSeconds: 3_600 },
  mailPerRecipient: { count: 5, windowSeconds: 3_600 },
  walletMessage: { count: 120, windowSeconds: 60 },
  passkeyChallenge: { count: 120, windowSeconds: 60 },
  contractWallet: { count: 30, windowSeconds: 60 },
  installation: { count: 300, windowSeconds: 3_600 },
  role: { count: 20, windowSeconds: 3_600 },
} as const satisfies Record<string, AccountLimit>;

export type AccountLimitName = keyof typeof DEFAULT_ACCOUNT_LIMITS;
/** The limits by name; a missing one is not limited. */
export type AccountLimitValues = Partial<Record<AccountLimitName, AccountLimit>>;

const LIMIT = z.strictObject(LIMIT_FIELDS);
const NAME = z.custom<AccountLimitName>(
  (name) => typeof name === "string" && Object.hasOwn(DEFAULT_ACCOUNT_LIMITS, name),
  { error: `it is not one of ${Object.keys(DEFAULT_ACCOUNT_LIMITS).join(", ")}` },
);

/**
 * `accountLimits` of the config file: `false` for none, or `{ count, windowSeconds }` or `false` by name. The result is a
 * function that merges them with the defaults, if these are enabled.
 */
export const accountLimitsSchema = z
  .union([z.literal(false), z.partialRecord(NAME, z.union([z.literal(false), LIMIT]))])
  .default({})
  .transform((value) => (useDefaults: boolean): AccountLimitValues => {
    if (value === false) return {};
    const limits: AccountLimitValues = useDefaults ? { ...DEFAULT_ACCOUNT_LIMITS } : {};
    for (const [name, limit] of Object.entries(value)) {
      const known = NAME.parse(name);
      if (limit) limits[known] = limit;
      else delete limits[known];
    }
    return limits;
  });
