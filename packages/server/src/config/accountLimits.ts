import { isJsonObject } from "@purse/protocol";

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
 * - `contractWallet`: signature checks of contract wallets per IP address
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
  contractWallet: { count: 30, windowSeconds: 60 },
  role: { count: 20, windowSeconds: 3_600 },
} as const satisfies Record<string, AccountLimit>;

export type AccountLimitName = keyof typeof DEFAULT_ACCOUNT_LIMITS;
/** The limits by name; a missing one is not limited. */
export type AccountLimitValues = Partial<Record<AccountLimitName, AccountLimit>>;

const MAX_SECONDS = 31 * 86_400;
const NAMES = Object.keys(DEFAULT_ACCOUNT_LIMITS);

/**
 * Parses `accountLimits` of the config file: `false` for none, or an object with `{ count, windowSeconds }` or `false` by
 * name. Returns a function that merges them with the defaults, if these are enabled. Throws Error that says what is
 * allowed.
 */
export function parseAccountLimits(value: unknown): (useDefaults: boolean) => AccountLimitValues {
  if (value === false) return () => ({});
  if (value === undefined) return (useDefaults) => (useDefaults ? DEFAULT_ACCOUNT_LIMITS : {});
  if (!isJsonObject(value)) throw new Error(`it must be false or an object with ${NAMES.join(", ")}`);
  const own: Record<string, AccountLimit | undefined> = {};
  for (const [name, limit] of Object.entries(value)) {
    if (!NAMES.includes(name)) throw new Error(`"${name}" is not known; known are ${NAMES.join(", ")}`);
    own[name] = limit === false ? undefined : parseLimit(name, limit);
  }
  return (useDefaults) => ({ ...(useDefaults && DEFAULT_ACCOUNT_LIMITS), ...own });
}

function parseLimit(name: string, value: unknown): AccountLimit {
  const { count, windowSeconds, ...others } = isJsonObject(value) ? value : {};
  const isLimit = isInteger(count, 1_000_000_000) && isInteger(windowSeconds, MAX_SECONDS);
  if (isLimit && Object.keys(others).length === 0) return { count, windowSeconds };
  throw new Error(
    `${name} must be false or { count, windowSeconds }: whole numbers from 1, the latter up to ${MAX_SECONDS}`,
  );
}

function isInteger(value: unknown, max: number): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= max;
}
