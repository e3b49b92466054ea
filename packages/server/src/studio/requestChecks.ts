import type { IncomingMessage } from "node:http";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { operationForbidden } from "../core/operationForbidden.ts";
import type { StudioAccessLevel } from "../studioApi/operatorRoles.ts";
import type { SignedIn } from "./route.ts";
import { isValidCsrfToken } from "./sessions.ts";

const ROLE_RANK = { readOnly: 0, editor: 1, owner: 2 } as const;

/**
 * Rejects cross-site requests, regardless of their cookies. Compares hosts but not schemes: behind a proxy the server
 * may not know that its pages use https.
 */
export function assertSameOrigin({ headers }: IncomingMessage, serverUrl: string): void {
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  const isCrossSite = site !== undefined && site !== "same-origin" && site !== "none";
  const knownHosts = [headers.host, new URL(serverUrl).host];
  const isOtherOrigin =
    origin !== undefined && !(URL.canParse(origin) && knownHosts.includes(new URL(origin).host));
  if (!isCrossSite && !isOtherOrigin) return;
  throw new ProtocolError(ErrorCode.X_DOMAIN_REQUEST, "Cross-site requests are not allowed.", 403);
}

/** Throws unless the operator has the role that a route requires. */
export function assertRole(needs: StudioAccessLevel, signedIn: SignedIn | undefined): void {
  if (needs === "none") return;
  if (!signedIn) throw new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Sign in first.", 401);
  if (needs === "session") return;
  if (ROLE_RANK[signedIn.operator.role] >= ROLE_RANK[needs]) return;
  throw operationForbidden(`This requires the role ${needs}.`, 403);
}

/** Throws unless a change has the CSRF token of its session. */
export function assertCsrfToken(
  needs: StudioAccessLevel,
  { method, headers }: IncomingMessage,
  signedIn: SignedIn | undefined,
): void {
  if (method === "GET" || needs === "none" || !signedIn) return;
  if (isValidCsrfToken(signedIn.session, headers["x-purse-csrf"])) return;
  throw operationForbidden("The CSRF token is missing or invalid.", 403);
}
