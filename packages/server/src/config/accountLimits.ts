import { isJsonObject } from "@purse/protocol";

/** So many in a window that begins with the first. */
export interface AccountLimit {
  count: number;
  windowSeconds: number;
}

/**
 * Default limits of what anybody may do with accounts, in force in production:
 *
 * - `signUp`: sign-ups of one address, refused ones too (they tell whether a name is taken)
 * - `anonymousSignUp`: new anonymous users of one address
 * - `failedLogIn`: wrong passwords and codes of one address, whatever the names
 * - `session`: sessions that begin for one user
 * - `mailPerAddress`: reset and verification mails that one address asks for
 * - `mailPerRecipient`: the same to one e-mail address, whether somebody has it or not
 * - `walletMessage`: sign-in messages (`requestMessage`) for one address
 * - `contractWallet`: signatures of one address that a contract has to be asked about
 * - `role`: roles that one user makes, or one address without a user
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
/** Undefined where something is not limited. */
export type AccountLimitValues = Partial<Record<AccountLimitName, AccountLimit>>;

const MAX_SECONDS = 31 * 86_400;
const NAMES = Object.keys(DEFAULT_ACCOUNT_LIMITS);

/**
 * Reads `accountLimits` of the config file: `false` for none, or an object by name of `{ count, windowSeconds }` or
 * `false`. Answers, for whether the defaults hold, the limits. Throws Error that says what is allowed.
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
  const isLimit = isWhole(count, 1_000_000_000) && isWhole(windowSeconds, MAX_SECONDS);
  if (isLimit && Object.keys(others).length === 0) return { count, windowSeconds };
  throw new Error(
    `${name} must be false or { count, windowSeconds }: whole numbers from 1, the latter up to ${MAX_SECONDS}`,
  );
}

function isWhole(value: unknown, most: number): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= most;
}
