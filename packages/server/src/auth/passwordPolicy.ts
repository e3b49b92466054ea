import { ErrorCode, isWireDate, type JsonObject, ProtocolError, wireDate } from "@purse/protocol";
import type { PasswordPolicy } from "../config/passwords.ts";
import { assertPasswordLength, type PasswordOrigin, type Passwords } from "./password.ts";

const DAY_MS = 86_400_000;

/** Throws 142 if a password does not meet the policy. */
export async function assertPassword(
  password: string,
  policy: PasswordPolicy,
  known: { username?: unknown; secret?: JsonObject },
  passwords: Passwords,
  origin: PasswordOrigin,
): Promise<void> {
  assertPasswordLength(password);
  if ([...password].length < policy.minLength) {
    throw new ProtocolError(
      ErrorCode.VALIDATION_ERROR,
      `Password must have at least ${policy.minLength} characters.`,
    );
  }
  if (policy.isStrong && !(await policy.isStrong(password))) {
    throw new ProtocolError(ErrorCode.VALIDATION_ERROR, policy.validationError);
  }
  const { username, secret = {} } = known;
  if (policy.doNotAllowUsername && typeof username === "string" && password.includes(username)) {
    throw new ProtocolError(ErrorCode.VALIDATION_ERROR, "Password cannot contain your username.");
  }
  if (policy.maxPasswordHistory === 0) return;
  const hashes = [secret.passwordHash, ...historyOf(secret)].slice(0, policy.maxPasswordHistory);
  const matches = await Promise.all(
    hashes.map((hash) => typeof hash === "string" && passwords.verify(hash, password, origin)),
  );
  if (matches.some(Boolean)) {
    throw new ProtocolError(
      ErrorCode.VALIDATION_ERROR,
      `New password should not be the same as last ${policy.maxPasswordHistory} passwords.`,
    );
  }
}

/** Returns the fields of a user's secret that a new password changes. */
export async function passwordSecret(
  password: string,
  policy: PasswordPolicy,
  before: JsonObject,
  now: number,
  passwords: Passwords,
  origin: PasswordOrigin,
): Promise<JsonObject> {
  const secret: JsonObject = { passwordHash: await passwords.hash(password, origin) };
  if (policy.maxPasswordAge !== undefined) secret.passwordChangedAt = wireDate(new Date(now));
  if (policy.maxPasswordHistory > 1 && typeof before.passwordHash === "string") {
    const older = [before.passwordHash, ...historyOf(before)];
    secret.passwordHistory = older.slice(0, policy.maxPasswordHistory - 1);
  }
  return secret;
}

/** Throws 101 if a password is older than the policy allows. */
export function assertPasswordNotExpired(secret: JsonObject, policy: PasswordPolicy, now: number): void {
  if (policy.maxPasswordAge === undefined || !isWireDate(secret.passwordChangedAt)) return;
  const age = now - Date.parse(secret.passwordChangedAt.iso);
  if (age <= policy.maxPasswordAge * DAY_MS) return;
  throw new ProtocolError(
    ErrorCode.OBJECT_NOT_FOUND,
    "Your password has expired. Please reset your password.",
  );
}

/** Returns the change of a secret that starts to count the age of a password from before the policy. */
export function passwordAgeStart(secret: JsonObject, policy: PasswordPolicy, now: number): JsonObject {
  if (policy.maxPasswordAge === undefined || isWireDate(secret.passwordChangedAt)) return {};
  return { passwordChangedAt: wireDate(new Date(now)) };
}

function historyOf({ passwordHistory }: JsonObject): string[] {
  return Array.isArray(passwordHistory) ? passwordHistory.filter((hash) => typeof hash === "string") : [];
}
