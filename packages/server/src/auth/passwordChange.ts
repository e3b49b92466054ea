import { ErrorCode, type JsonValue, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import { type PendingWrite, setValueOf } from "../data/objects/pendingWrite.ts";
import type { AccountEmails } from "./accountEmails.ts";
import type { AuthDependencies } from "./authDependencies.ts";
import { assertPassword, passwordSecret } from "./passwordPolicy.ts";
import type { Sessions } from "./sessions.ts";

export interface PasswordChangeDependencies {
  dependencies: AuthDependencies;
  sessions: Sessions;
  email: AccountEmails;
}

/** Adds to the update of a user what a new password changes: the hash, reset links and sessions. Throws 201 and 142. */
export async function changePassword(
  pending: PendingWrite,
  password: JsonValue,
  request: RequestContext,
  { dependencies, sessions, email }: PasswordChangeDependencies,
): Promise<void> {
  const isParseCompatible = dependencies.config.compatibility === "parse";
  if (typeof password !== "string" || password === "") {
    throw new ProtocolError(ErrorCode.PASSWORD_MISSING, "password must be a non-empty string");
  }
  const { policy, revokeSessionOnPasswordReset } = dependencies.config;
  const before =
    (await dependencies.store.getSecret(dependencies.schemaOf("_User"), pending.objectId))?.secret ?? {};
  const username = setValueOf(pending, "username") ?? pending.original?.username;
  await assertPassword(password, policy, { username, secret: before }, dependencies.passwords, request);
  const secret = await passwordSecret(
    password,
    policy,
    before,
    dependencies.clock(),
    dependencies.passwords,
    request,
  );
  Object.assign(pending.secret, secret);
  // Links that were requested for the old password would still set another one.
  pending.additionalWrites.push(email.resetTokens.revoke(pending.objectId));
  if (!revokeSessionOnPasswordReset) return;
  const isOwn = request.auth.kind === "user" && request.auth.userId === pending.objectId;
  if (isOwn && isParseCompatible) {
    await endSessions(pending, sessions);
    const createdWith = { action: "login", authProvider: "password" } as const;
    const session = sessions.create(pending.objectId, createdWith, request);
    pending.additionalWrites.push(...session.writes);
    pending.returnedFields.sessionToken = session.sessionToken;
    return;
  }
  // Everyone who knew the old password is signed out; the session that changed it stays valid.
  await endSessions(pending, sessions, request.auth.kind === "user" ? request.auth.sessionId : undefined);
}

/** Ends all sessions of the user, except one, when the write is committed. */
export async function endSessions(pending: PendingWrite, sessions: Sessions, except?: string): Promise<void> {
  const revocation = await sessions.revokeAll(pending.objectId, except);
  pending.additionalWrites.push(...revocation.writes);
  pending.afterCommit.push(() =>
    sessions.finishRevocation({ userId: pending.objectId, except }, revocation.ids),
  );
}
