import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { Secret, TOTP } from "otpauth";
import { newObjectId } from "../../data/objects/objectId.ts";
import type { Write } from "../../database/store.ts";

/** Key of the second factor in `authData`. */
export const MFA = "mfa";

const PERIOD_S = 30;
const RECOVERY_CODE_COUNT = 8;
const MAX_SECRET_LENGTH = 256;
const MAX_CODE_LENGTH = 128;

/** A verified code, with the writes that consume it. */
export interface VerifiedFactor {
  writes: Write[];
  /** New value of the user's `mfa`; undefined if it does not change. */
  next: JsonObject | undefined;
}

/** A new factor: what is stored, and the recovery codes, which are shown once. */
export interface EnrolledFactor {
  stored: JsonObject;
  recovery: string[];
  writes: Write[];
}

/** Enrolls a second factor: time-based codes (RFC 6238) and single-use recovery codes. Throws 141. */
export function enrollFactor(userId: string, proof: JsonObject, now: number): EnrolledFactor {
  const { secret, token } = proof;
  if (
    typeof secret !== "string" ||
    secret.length < 20 ||
    secret.length > MAX_SECRET_LENGTH ||
    typeof token !== "string"
  ) {
    throw invalid("Invalid MFA data");
  }
  const step = timeStepOf(secret, token, now);
  if (step === undefined) throw invalid("Invalid MFA token");
  const { recovery, hashes } = createRecoveryCodes();
  const stored = { secret, recovery: hashes };
  return { stored, recovery, writes: [reserveStep(userId, secret, step, now)] };
}

/** New recovery codes, and the hashes of them that are stored. */
export function createRecoveryCodes(): { recovery: string[]; hashes: string[] } {
  const recovery = Array.from({ length: RECOVERY_CODE_COUNT }, () => randomBytes(10).toString("hex"));
  return { recovery, hashes: recovery.map(hashOf) };
}

/** Verifies a code of an enrolled factor. Throws 141. Of several concurrent uses of a code, the writes of one succeed. */
export function verifyFactor(
  userId: string,
  factor: JsonObject,
  token: JsonValue | undefined,
  now: number,
): VerifiedFactor {
  if (typeof token !== "string" || token === "" || token.length > MAX_CODE_LENGTH)
    throw invalid("Invalid MFA token");
  const { secret, recovery } = factor;
  const codes = Array.isArray(recovery) ? recovery : [];
  const hash = hashOf(token);
  if (includesCode(codes, hash)) {
    const used: Write = {
      kind: "reserveUnique",
      scope: "mfa-recovery",
      value: `${userId}#${hash}`,
      owner: newObjectId(),
    };
    return { writes: [used], next: { ...factor, recovery: codes.filter((code) => code !== hash) } };
  }
  const step = typeof secret === "string" ? timeStepOf(secret, token, now) : undefined;
  if (typeof secret !== "string" || step === undefined) throw invalid("Invalid MFA token");
  return { writes: [reserveStep(userId, secret, step, now)], next: undefined };
}

/** The error (-1) of a sign-in without the second factor that the user has. */
export function missingFactorError(): ProtocolError {
  return new ProtocolError(ErrorCode.OTHER_CAUSE, "Missing additional authData mfa");
}

/** The error for a code that has been used already. */
export function factorConflictError(scope: string): ProtocolError | undefined {
  return scope.startsWith("mfa-") ? invalid("Invalid MFA token") : undefined;
}

/** The time step of a valid code: the current, previous or next one; undefined if the code is wrong. */
function timeStepOf(secret: string, token: string, now: number): number | undefined {
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

/** Write that allows one code per account, secret and time step. */
function reserveStep(userId: string, secret: string, step: number, now: number): Write {
  const value = `${userId}#${hashOf(secret).slice(0, 16)}#${step}`;
  return {
    kind: "reserveUnique",
    scope: "mfa-step",
    value,
    owner: newObjectId(),
    expiresAt: now + 5 * PERIOD_S * 1000,
  };
}

/** Compares in constant time. */
function includesCode(codes: readonly JsonValue[], hash: string): boolean {
  const expected = Buffer.from(hash);
  let found = false;
  for (const code of codes) {
    const known = Buffer.from(String(code));
    if (known.length === expected.length && timingSafeEqual(known, expected)) found = true;
  }
  return found;
}

function hashOf(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.SCRIPT_FAILED, message);
}
