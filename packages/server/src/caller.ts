import { type JsonObject, PUBLIC, ROLE_PREFIX } from "@purse/protocol";
import type { WriteMemory } from "./objects/requestMemory.ts";
import type { JoinedWrites } from "./objects/writeTogether.ts";
import type { Principals } from "./store/principals.ts";

/** Who asks. */
export type Caller =
  | { kind: "anonymous" }
  | {
      kind: "user";
      userId: string /** Names without `role:`, inherited ones included. */;
      roles: string[];
      sessionId: string;
      sessionToken: string;
    }
  /** `readOnly`: who may see everything and change nothing. `operator`: who it is, where they came by the studio. */
  | { kind: "master"; readOnly?: boolean; operator?: { id: string; username: string } };

export const ANONYMOUS: Caller = { kind: "anonymous" };
export const MASTER: Caller = { kind: "master" };
export const READ_ONLY_MASTER: Caller = { kind: "master", readOnly: true };

/** One request on its way through the pipeline. */
export interface RequestContext {
  caller: Caller;
  installationId: string | undefined;
  /** What the client sent as `_context`; handed on to triggers. */
  context: JsonObject;
  /** The address of the client. */
  ip: string;
  /** Whether the server itself sends it, as cloud code does: limits by address do not count it. */
  isInternal?: boolean;
  /** Unique to the request, for logs. */
  requestId: string;
  /** Its HTTP headers, names in lower case, without the master key; none where it came by no door. */
  headers?: Readonly<Record<string, string>>;
  /** The address of the protocol that the client used; without one the public one is meant. */
  serverUrl?: string;
  /** Whether it says the ids of new objects itself: the server's own requests may. */
  choosesIds?: boolean;
  /** An update is refused where its object has been changed since then; ISO. */
  ifUpdatedAt?: string;
  /** Where the writes of several requests happen together. */
  together?: JoinedWrites;
  /** Where the request has an id: its one write remembers what it answers. */
  memory?: WriteMemory | undefined;
}

export function principalsOf(caller: Caller): Principals {
  switch (caller.kind) {
    case "master":
      return null;
    case "anonymous":
      return [];
    case "user": {
      const known = principalsByCaller.get(caller);
      if (known) return known;
      const principals = [caller.userId, ...caller.roles.map((role) => ROLE_PREFIX + role)];
      principalsByCaller.set(caller, principals);
      return principals;
    }
  }
}

/** Callers stay the same from one request to the next: what they are compared by does, too. */
const principalsByCaller = new WeakMap<Caller, readonly string[]>();

/** The same as principalsOf, with the public wildcard: for permissions that name it (CLP). */
export function principalsWithPublic(caller: Caller): Principals {
  const principals = principalsOf(caller);
  return principals && [PUBLIC, ...principals];
}
