import { createHash, randomBytes } from "node:crypto";
import { type JsonObject, wireDate } from "@purse/protocol";
import type { RequestContext } from "../caller.ts";
import { newObjectId } from "../objects/objectId.ts";
import type { Write } from "../store/store.ts";
import { deviceOf } from "./device.ts";
import { type AccountsParts, CLAIM } from "./parts.ts";

/** The request by which a session begins: what it says of its device is kept. */
export type SessionOrigin = Pick<RequestContext, "installationId" | "headers">;

/** How a session began, as clients read it. */
export interface CreatedWith {
  action: "login" | "signup" | "create" | "upgrade";
  authProvider: string;
}

export interface NewSession {
  sessionToken: string;
  /** As its user sees it. */
  object: JsonObject;
  /** The steps that begin it. */
  writes: Write[];
}

/** A new session with a token that nobody has had before. It takes the place of its user's one on the installation. */
export function newSession(
  parts: Pick<AccountsParts, "clock" | "config" | "schemaOf">,
  userId: string,
  createdWith: CreatedWith,
  { installationId, headers }: Partial<SessionOrigin> = {},
): NewSession {
  const userAgent = deviceOf(headers?.["user-agent"]);
  const sessionToken = `r:${randomBytes(16).toString("hex")}`;
  const id = newObjectId();
  const now = parts.clock();
  const at = new Date(now).toISOString();
  const expiresAt = now + parts.config.sessionSeconds * 1000;
  const object: JsonObject = {
    objectId: id,
    createdAt: at,
    updatedAt: at,
    user: { __type: "Pointer", className: "_User", objectId: userId },
    createdWith: { ...createdWith },
    restricted: false,
    expiresAt: wireDate(new Date(expiresAt)),
    ...(installationId !== undefined && { installationId }),
    ...(userAgent !== undefined && { userAgent }),
    lastUsedAt: wireDate(new Date(now)),
    ACL: { [userId]: { read: true, write: true } },
  };
  const writes: Write[] = [
    { kind: "create", schema: parts.schemaOf("_Session"), id, at, object },
    { kind: "claim", scope: CLAIM.sessionToken, value: tokenHash(sessionToken), owner: id, expiresAt },
  ];
  if (installationId !== undefined) {
    const value = installationKey(userId, installationId);
    writes.push({ kind: "claim", scope: CLAIM.installation, value, owner: id, expiresAt });
  }
  return { sessionToken, object: { ...object, sessionToken }, writes };
}

/** The steps that make a session's token worthless. They succeed however often and wherever a session ends. */
export function sessionEnd(sessionId: string): Write[] {
  return [
    { kind: "releaseAll", scope: CLAIM.sessionToken, owner: sessionId },
    { kind: "releaseAll", scope: CLAIM.installation, owner: sessionId },
  ];
}

/** As which a session token is kept. */
export function tokenHash(sessionToken: string): string {
  return createHash("sha256").update(sessionToken).digest("hex");
}

/** The value of the claim by which a user has one session on an installation. */
export function installationKey(userId: string, installationId: string): string {
  return createHash("sha256").update(`${userId}\n${installationId}`).digest("hex");
}
