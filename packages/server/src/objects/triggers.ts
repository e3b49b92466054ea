import type { JsonObject } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import type { Change } from "./change.ts";
import type { Draft } from "./draft.ts";

/**
 * What runs around reads and writes of a class. Each method answers undefined where nothing is
 * registered, so that the pipeline prepares nothing for it. A before trigger that throws stops the
 * write (ProtocolError as it is, anything else as 141); an after trigger's error is only logged.
 */
export interface Triggers {
  beforeSave(className: string): ((draft: Draft, request: RequestContext) => Promise<void>) | undefined;
  afterSave(className: string): ((change: Change) => Promise<void>) | undefined;
  beforeDelete(
    className: string,
  ): ((object: JsonObject, request: RequestContext) => Promise<void>) | undefined;
  afterDelete(className: string): ((change: Change) => Promise<void>) | undefined;
  /** May change the parameters of a query (where, limit, …), or answer objects in its place. */
  beforeFind(
    className: string,
  ): ((params: JsonObject, request: RequestContext, isGet: boolean) => Promise<Wanted>) | undefined;
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

/** What a query shall find. */
export interface Wanted {
  params: JsonObject;
  /** Told in the place of what would be found: those that are stored only as far as the caller may see them. */
  objects?: JsonObject[] | undefined;
}
