import { ErrorCode, type JsonObject, MAX_USERNAME_LENGTH, ProtocolError } from "@purse/protocol";
import { bypassesPermissions, type RequestContext } from "../core/authContext.ts";
import { type PendingWrite, setField, setValueOf } from "../data/objects/pendingWrite.ts";
import type { AccountEmails } from "./accountEmails.ts";
import { isEmailAddress } from "./emailAddress.ts";
import { foldName, UNIQUE_KEYS } from "./uniqueKeys.ts";

/** Control characters, and the line and paragraph separators of Unicode. */
const CONTROL_CHARACTER = /[\p{Cc}\u2028\u2029]/u;

/** Reserves the username that a write sets, and releases the one before. Throws 200 for an invalid one. */
export function reserveUsername(
  pending: PendingWrite,
  original: JsonObject | undefined,
  { auth }: Pick<RequestContext, "auth">,
): void {
  const username = setValueOf(pending, "username");
  if (typeof username !== "string" || username === "") {
    throw new ProtocolError(ErrorCode.USERNAME_MISSING, "bad or missing username");
  }
  if (username.length > MAX_USERNAME_LENGTH) {
    throw new ProtocolError(
      ErrorCode.USERNAME_MISSING,
      `bad or missing username: it may have at most ${MAX_USERNAME_LENGTH} characters`,
    );
  }
  // Users who have such a name keep it, send it back with their other fields, and are moved with the master key.
  const isKept = username === original?.username || bypassesPermissions(auth);
  if (!isKept && CONTROL_CHARACTER.test(username)) {
    throw new ProtocolError(
      ErrorCode.USERNAME_MISSING,
      "bad or missing username: it may not contain line breaks or other control characters",
    );
  }
  const value = foldName(username);
  const before = typeof original?.username === "string" ? foldName(original.username) : undefined;
  if (before === value) return;
  if (before !== undefined)
    pending.additionalWrites.push({ kind: "releaseUnique", scope: UNIQUE_KEYS.username, value: before });
  pending.additionalWrites.push({
    kind: "reserveUnique",
    scope: UNIQUE_KEYS.username,
    value,
    owner: pending.objectId,
  });
}

/** Reserves the email address that a write sets, and releases the one before. Throws 125 for an invalid one. */
export async function reserveEmail(
  pending: PendingWrite,
  original: JsonObject | undefined,
  verification: AccountEmails,
  request: RequestContext,
): Promise<void> {
  const operation = pending.operations.email;
  if (!operation) return;
  const before = typeof original?.email === "string" ? foldName(original.email) : undefined;
  const email = operation.op === "Set" && operation.value !== null ? operation.value : undefined;
  if (email !== undefined && !isEmailAddress(email)) {
    throw new ProtocolError(ErrorCode.INVALID_EMAIL_ADDRESS, "Email address format is invalid.");
  }
  const value = email === undefined ? undefined : foldName(email);
  if (before === value) return;
  // A new address is not verified, even if the old one was.
  if (original?.emailVerified === true && !("emailVerified" in pending.operations))
    setField(pending, "emailVerified", false);
  await verification.changeAddress(pending, email, request);
  if (before !== undefined)
    pending.additionalWrites.push({ kind: "releaseUnique", scope: UNIQUE_KEYS.email, value: before });
  if (value !== undefined)
    pending.additionalWrites.push({
      kind: "reserveUnique",
      scope: UNIQUE_KEYS.email,
      value,
      owner: pending.objectId,
    });
}
