import type { JsonObject } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import type { Change } from "./change.ts";
import type { PendingWrite } from "./pendingWrite.ts";

/**
 * Triggers around reads and writes of a class. Each method returns undefined if no trigger is registered, which saves
 * preparing its arguments. A before trigger that throws rejects the operation (ProtocolError is passed through, other
 * errors become 141); errors of afterSave are only logged, those of afterDelete are also sent to the client.
 */
export interface Triggers {
  beforeSave(className: string): BeforeSave | undefined;
  /** Resolves with what the trigger changed of the object: it is not stored, but sent to the client that saves. */
  afterSave(className: string): ((change: Change) => Promise<AfterSaveResult>) | undefined;
  beforeDelete(
    className: string,
  ): ((object: JsonObject, request: RequestContext) => Promise<void>) | undefined;
  afterDelete(className: string): ((change: Change) => Promise<void>) | undefined;
  /** May change the parameters of a query (where, limit, …) or return objects instead. */
  beforeFind(
    className: string,
  ): ((params: JsonObject, request: RequestContext, isGet: boolean) => Promise<BeforeFindResult>) | undefined;
  /** `params` are those of the query that found the objects. */
  afterFind(
    className: string,
  ):
    | ((
        objects: JsonObject[],
        params: JsonObject,
        request: RequestContext,
        isGet: boolean,
      ) => Promise<JsonObject[]>)
    | undefined;
}

/** May change the operations of a write before it is stored. */
export type BeforeSave = (pending: PendingWrite, request: RequestContext) => Promise<void>;

/** Changes that an afterSave trigger made to its copy of a saved object. */
export interface AfterSaveResult {
  /** Encoded values by field. */
  set: JsonObject;
  /** Names of removed fields. */
  unset: string[];
  /** The object that the trigger returned. Parse Server sends it in place of its own response. */
  reply?: JsonObject;
}

/** The result of a beforeFind trigger. */
interface BeforeFindResult {
  params: JsonObject;
  /** Objects to return instead of running the query; stored ones are filtered by the permissions of the client. */
  objects?: JsonObject[] | undefined;
}

/** Triggers of signing in and out. */
export interface AuthTriggers {
  /** Returns undefined if no trigger is defined. A before trigger that throws refuses. */
  of(
    trigger: "beforeLogin" | "afterLogin" | "afterLogout" | "beforePasswordResetRequest",
  ): ((object: JsonObject, request: RequestContext) => Promise<void>) | undefined;
}
