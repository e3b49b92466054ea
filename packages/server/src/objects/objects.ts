import type { JsonObject } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import type { ChangeListener } from "./change.ts";

export interface SaveReply {
  /** 201 for a create. */
  status: 200 | 201;
  body: JsonObject;
}

/** The one pipeline: every door reads and writes objects by these. All reject with ProtocolError. */
export interface Objects {
  /** Answers the reply's JSON text: `{"results":[…],"count"?}`. `params` as they travel (where, order, …). */
  find(request: RequestContext, className: string, params: JsonObject): Promise<string>;
  /** The same in pieces, which come to that text one after the other: for answers that may be large. */
  findPieces(request: RequestContext, className: string, params: JsonObject): Promise<string[]>;
  /** Answers the object's JSON text. `params`: include, keys, excludeKeys. */
  get(request: RequestContext, className: string, objectId: string, params: JsonObject): Promise<string>;
  create(request: RequestContext, className: string, fields: JsonObject): Promise<SaveReply>;
  update(
    request: RequestContext,
    className: string,
    objectId: string,
    fields: JsonObject,
  ): Promise<SaveReply>;
  remove(request: RequestContext, className: string, objectId: string): Promise<void>;
  /** Told of every stored change, in the order of the store. Returns the way to stop. */
  onChange(listener: ChangeListener): () => void;
}
