import type { JsonObject } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import type { CreateWrite } from "../../database/store.ts";
import type { ObjectReads } from "./read.ts";
import type { WriteOptions } from "./writeOptions.ts";

export interface SaveReply {
  /** 201 for a create operation. */
  status: 200 | 201;
  body: JsonObject;
}

/** A create that consists of one write. */
export interface PreparedCreate {
  write: CreateWrite;
  /** The response once the write has been committed. */
  reply: SaveReply;
}

/** The service that all APIs use to read and write objects. All methods reject with ProtocolError. */
export interface Objects extends ObjectReads {
  create(
    request: RequestContext,
    className: string,
    fields: JsonObject,
    options?: WriteOptions,
  ): Promise<SaveReply>;
  /**
   * Prepares a create of a batch. Returns undefined, having changed nothing, if rules, triggers, default values or a
   * change of the class are involved: then only `create` can execute it. Throws what `create` rejects with.
   */
  prepareCreate(request: RequestContext, className: string, fields: JsonObject): PreparedCreate | undefined;
  /** Executes prepared creates of a request as one job. Resolves with the response or the error of each. */
  createEach(prepared: readonly PreparedCreate[], request: RequestContext): Promise<(SaveReply | Error)[]>;
  update(
    request: RequestContext,
    className: string,
    objectId: string,
    fields: JsonObject,
    options?: WriteOptions,
  ): Promise<SaveReply>;
  remove(request: RequestContext, className: string, objectId: string, options?: WriteOptions): Promise<void>;
}
