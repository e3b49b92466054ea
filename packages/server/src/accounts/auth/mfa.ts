import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { Secret, TOTP } from "otpauth";
import { newObjectId } from "../../objects/objectId.ts";
import type { Write } from "../../store/store.ts";

/** Under which a second factor stands in `authData`. */
export const MFA = "mfa";

const PERIOD_S = 30;
const RECOVERY_CODES = 8;
const MAX_SECRET_LENGTH = 256;
const MAX_CODE_LENGTH = 128;

/** A proof of the second factor, with the steps that use it up. */
export interface UsedFactor {
  writes: Write[];
  /** What the user's `mfa` is from now on, where that changes. */
  next: JsonObject | undefined;
}

/** The second factor: time-based codes (RFC 6238), and recovery codes that are good once. */
export function setUpFactor(
  userId: string,
  proof: JsonObject,
  now: number,
): { kept: JsonObject; recovery: string[]; writes: Write[] } {
  const { secret, token } = proof;
  if (
    typeof secret !== "string" ||
    secret.length < 20 ||
    secret.length > MAX_SECRET_LENGTH ||
    typeof token !== "string"
  ) {
    throw invalid("Invalid MFA data");
  }
  const step = stepOf(secret, token, now);
  if (step === undefined) throw invalid("Invalid MFA token");
  const recovery = Array.from({ length: RECOVERY_CODES }, () => randomBytes(10).toString("hex"));
  const kept = { secret, recovery: recovery.map(hashOf) };
  return { kept, recovery, writes: [useStep(userId, secret, step, now)] };
}

/** Checks a code against what a user has set up. Throws 141. Whoever uses the same code at the same time fails. */
export function useFactor(
  userId: string,
  factor: JsonObject,
  token: JsonValue | undefined,
  now: number,
): UsedFactor {
  if (typeof token !== "string" || token === "" || token.length > MAX_CODE_LENGTH)
    throw invalid("Invalid MFA token");
  const { secret, recovery } = factor;
  const codes = Array.isArray(recovery) ? recovery : [];
  const hash = hashOf(token);
  if (isAmong(codes, hash)) {
    const used: Write = {
      kind: "claim",
      scope: "mfa-recovery",
      value: `${userId}#${hash}`,
      owner: newObjectId(),
    };
    return { writes: [used], next: { ...factor, recovery: codes.filter((code) => code !== hash) } };
  }
  const step = typeof secret === "string" ? stepOf(secret, token, now) : undefined;
  if (typeof secret !== "string" || step === undefined) throw invalid("Invalid MFA token");
  return { writes: [useStep(userId, secret, step, now)], next: undefined };
}

/** Throws -1 where a user has a second factor and brings none. */
export function assertFactor(
  userId: string,
  authData: JsonValue | undefined,
  brought: JsonValue | undefined,
  now: number,
): UsedFactor | undefined {
  const factor = isJsonObject(authData) ? authData[MFA] : undefined;
  if (!isJsonObject(factor)) return undefined;
  const proof = isJsonObject(brought) ? brought[MFA] : undefined;
  if (!isJsonObject(proof)) {
    throw new ProtocolError(ErrorCode.OTHER_CAUSE, "Missing additional authData mfa");
  }
  return useFactor(userId, factor, proof.token, now);
}

/** The error where a code has been used already. */
export function factorTaken(scope: string): ProtocolError | undefined {
  return scope.startsWith("mfa-") ? invalid("Invalid MFA token") : undefined;
}

/** The time step that a code belongs to: the current one, or the one before or after it. */
function stepOf(secret: string, token: string, now: number): number | undefined {
  let key: Secret;
  try {
    key = Secret.fromBase32(secret);
  } catch {
    throw invalid("Invalid MFA data");
  }
  const totp = new TOTP({ secret: key, period: PERIOD_S, digits: 6 });
  const delta = totp.validate({ token, timestamp: now, window: 1 });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD_S) + delta;
}

/** Each step counts once for an account; when a secret takes another's place, the codes of both for the same step do. */
function useStep(userId: string, secret: string, step: number, now: number): Write {
  const value = `${userId}#${hashOf(secret).slice(0, 16)}#${step}`;
  return {
    kind: "claim",
    scope: "mfa-step",
    value,
    owner: newObjectId(),
    expiresAt: now + 5 * PERIOD_S * 1000,
  };
}

/** Takes the same time whichever code it is. */
function isAmong(codes: readonly JsonValue[], hash: string): boolean {
  const wanted = Buffer.from(hash);
  let found = false;
  for (const code of codes) {
    const known = Buffer.from(String(code));
    if (known.length === wanted.length && timingSafeEqual(known, wanted)) found = true;
  }
  return found;
}

function hashOf(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.SCRIPT_FAILED, message);
}
