import type { IncomingHttpHeaders } from "node:http";
import { type JsonObject, ROLE_PREFIX } from "@purse/protocol";
import type { AclSubjects } from "./aclSubjects.ts";

/** The authenticated sender of a request. */
export type AuthContext =
  | { kind: "anonymous" }
  | {
      kind: "user";
      userId: string;
      /** Role names without the `role:` prefix, including inherited roles. */
      roles: string[];
      sessionId: string;
      sessionToken: string;
    }
  /** `readOnly`: may read everything and change nothing. `operator`: the operator, if the request came from the studio. */
  | {
      kind: "master";
      readOnly?: boolean;
      operator?: { id: string; username: string };
    }
  /** The maintenance key, for migrations. Its only rights are those of `bypassesPermissions()` and `maySetTimes()`. */
  | { kind: "maintenance" };

export const ANONYMOUS: AuthContext = { kind: "anonymous" };
export const MASTER: AuthContext = { kind: "master" };
export const MAINTENANCE: AuthContext = { kind: "maintenance" };
export const READ_ONLY_MASTER: AuthContext = { kind: "master", readOnly: true };

/** What the request pipeline knows about one request. */
export interface RequestContext {
  auth: AuthContext;
  installationId: string | undefined;
  /** The `_context` that the client sent; it is passed on to triggers. */
  context: JsonObject;
  /** IP address of the client. */
  ip: string;
  /** Whether the server itself sends the request, as cloud code does. Limits by address do not count it. */
  isInternal?: boolean;
  /** Unique ID of the request, for logs. */
  requestId: string;
  /** HTTP headers with lowercase names, credentials included; undefined if the request did not come over HTTP. */
  headers?: Readonly<IncomingHttpHeaders>;
  /** URL of the Parse API that the client used; undefined for the public URL. */
  serverUrl?: string;
  /** Whether the response is one of the Parse API or of a live query, which may have values in formats of Moralis v1. */
  speaksParse?: boolean;
}

/**
 * Whether the permissions of objects (ACLs, class-level permissions, protected fields and rules for users, roles,
 * sessions and installations) do not apply to the sender. Everything for operators, classes of the server included,
 * requires the master key itself.
 */
export function bypassesPermissions({ kind }: AuthContext): boolean {
  return kind === "master" || kind === "maintenance";
}

/** Whether the sender may set createdAt and updatedAt of new objects. */
export function maySetTimes({ kind }: AuthContext): boolean {
  return kind === "maintenance";
}

export function aclSubjectsOf(auth: AuthContext): AclSubjects {
  switch (auth.kind) {
    case "master":
    case "maintenance":
      return null;
    case "anonymous":
      return [];
    case "user": {
      const known = subjectsByAuth.get(auth);
      if (known) return known;
      const subjects = [auth.userId, ...auth.roles.map((role) => ROLE_PREFIX + role)];
      subjectsByAuth.set(auth, subjects);
      return subjects;
    }
  }
}

/** Auth contexts are reused between requests, so their ACL subjects are cached. */
const subjectsByAuth = new WeakMap<AuthContext, readonly string[]>();

/** A request of a part of the server with all permissions; the log names it by `source`. */
export function serverRequest(source: string): RequestContext {
  return { auth: MASTER, installationId: undefined, context: {}, ip: "", requestId: source };
}

/** A request of the server itself with the permissions of a client. */
export function internalRequest(auth: AuthContext): RequestContext {
  return { auth, installationId: undefined, context: {}, ip: "", isInternal: true, requestId: "" };
}
