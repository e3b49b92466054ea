import { type JsonObject, type JsonValue, ownValue } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import { withoutOperatorKeys } from "../../core/http/masterKey.ts";
import type { AuthCheck } from "./adapter.ts";

/** A user as custom adapters see it: the reading part of a Parse.User. */
interface AdapterUser {
  id: string | undefined;
  className: "_User";
  attributes: JsonObject;
  get(field: string): JsonValue | undefined;
  toJSON(): JsonObject;
}

/** The request that custom adapters receive, as triggers do. */
export interface AdapterRequest {
  triggerName: string | undefined;
  master: boolean;
  ip: string;
  installationId: string | undefined;
  headers: Readonly<Record<string, unknown>>;
  /** The user that the proof is for; at a sign-up the new one, which has no ID. */
  object: AdapterUser | undefined;
  original: AdapterUser | undefined;
  /** The user who is signed in. */
  user: AdapterUser | undefined;
  /** Undefined instead of false, as in Parse Server. */
  isChallenge: true | undefined;
}

export function adapterRequest(check: AuthCheck, triggerName: string | undefined): AdapterRequest {
  const { auth, ip, installationId, headers = {} } = check.request;
  const user = check.user && adapterUser(check.user);
  return {
    triggerName,
    master: auth.kind === "master",
    ip,
    installationId,
    headers: withoutOperatorKeys(headers),
    object: user ?? (check.newUser && adapterUser(check.newUser)),
    original: user,
    user: auth.kind === "user" && check.user?.objectId === auth.userId ? user : undefined,
    isChallenge: check.isChallenge || undefined,
  };
}

/** What the method of an adapter receives that changes authData which is read. */
export type AdapterReadRequest = Pick<AdapterRequest, "ip" | "user" | "master">;

export function adapterReadRequest(user: JsonObject, { auth, ip }: RequestContext): AdapterReadRequest {
  const isReader = auth.kind === "user" && auth.userId === user.objectId;
  return { ip, user: isReader ? adapterUser(user) : undefined, master: auth.kind === "master" };
}

function adapterUser(object: JsonObject): AdapterUser {
  const attributes = structuredClone(object);
  return {
    id: typeof object.objectId === "string" ? object.objectId : undefined,
    className: "_User",
    attributes,
    get: (field) => ownValue(attributes, field),
    toJSON: () => structuredClone(attributes),
  };
}
