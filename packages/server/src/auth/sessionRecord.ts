import { createHash, randomBytes } from "node:crypto";
import { type JsonObject, wireDate } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import { newObjectId } from "../data/objects/objectId.ts";
import type { Write } from "../database/store.ts";
import type { AuthDependencies } from "./authDependencies.ts";
import { deviceNameOf } from "./deviceName.ts";
import { UNIQUE_KEYS } from "./uniqueKeys.ts";

/** The request that starts a session; the session records its installation and device. */
export interface SessionOrigin extends Pick<RequestContext, "installationId" | "headers"> {
  /** The operator who starts it for a user: it ends with the operator's rights, after an hour at the latest. */
  operatorId?: string | undefined;
}

/** How a session was created, as clients read it. */
export interface CreatedWith {
  action: "login" | "signup" | "create" | "upgrade";
  authProvider: string;
}

export interface NewSession {
  sessionToken: string;
  /** The session as its user sees it. */
  object: JsonObject;
  /** The writes that start it. */
  writes: Write[];
}

/** How long a session lasts that an operator has started, in seconds. */
const OPERATOR_SESSION_SECONDS = 3_600;
const EXPIRED_TOKEN_MS = 90 * 86_400_000;

/**
 * How long a token is known after its session has expired, in ms. In Parse Server compatibility mode, clients receive
 * an error for an expired token; otherwise it is unknown.
 */
export function expiredTokenMs({ compatibility }: Pick<AuthDependencies["config"], "compatibility">): number {
  return compatibility === "parse" ? EXPIRED_TOKEN_MS : 0;
}

/** Creates a session record with a new token. The writes fail if the user already has a session on the installation. */
export function newSession(
  dependencies: Pick<AuthDependencies, "clock" | "config" | "schemaOf">,
  userId: string,
  createdWith: CreatedWith,
  { installationId, headers, operatorId }: Partial<SessionOrigin> = {},
): NewSession {
  const userAgent = deviceNameOf(headers?.["user-agent"]);
  const sessionToken = `r:${randomBytes(16).toString("hex")}`;
  const id = newObjectId();
  const now = dependencies.clock();
  const at = new Date(now).toISOString();
  const { sessionSeconds } = dependencies.config;
  const lifetimeSeconds =
    operatorId === undefined ? sessionSeconds : Math.min(sessionSeconds, OPERATOR_SESSION_SECONDS);
  const expiresAt = now + lifetimeSeconds * 1000;
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
  // Tools of Parse Server read tokens with the master key; otherwise only their hashes are stored.
  const secret: JsonObject = dependencies.config.compatibility === "parse" ? { sessionToken } : {};
  const writes: Write[] = [
    { kind: "create", schema: dependencies.schemaOf("_Session"), id, at, object, secret },
    {
      kind: "reserveUnique",
      scope: UNIQUE_KEYS.sessionToken,
      value: tokenHash(sessionToken),
      owner: id,
      expiresAt: expiresAt + expiredTokenMs(dependencies.config),
    },
  ];
  if (installationId !== undefined) {
    const value = installationKey(userId, installationId);
    writes.push({ kind: "reserveUnique", scope: UNIQUE_KEYS.installation, value, owner: id, expiresAt });
  }
  if (operatorId !== undefined)
    writes.push({
      kind: "reserveUnique",
      scope: UNIQUE_KEYS.operatorSession,
      value: id,
      owner: operatorId,
      expiresAt,
    });
  return { sessionToken, object: { ...object, sessionToken }, writes };
}

/** Writes that revoke a session's token. They are idempotent. */
export function sessionRevocationWrites(sessionId: string): Write[] {
  return [
    { kind: "releaseAllUnique", scope: UNIQUE_KEYS.sessionToken, owner: sessionId },
    { kind: "releaseAllUnique", scope: UNIQUE_KEYS.installation, owner: sessionId },
  ];
}

/** The hash under which a session token is stored. */
export function tokenHash(sessionToken: string): string {
  return createHash("sha256").update(sessionToken).digest("hex");
}

/** The unique key that limits a user to one session per installation. */
export function installationKey(userId: string, installationId: string): string {
  return createHash("sha256").update(`${userId}\n${installationId}`).digest("hex");
}
