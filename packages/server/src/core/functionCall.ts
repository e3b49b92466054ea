import type { JsonObject } from "@purse/protocol";
import type { RequestContext } from "./authContext.ts";

/** A call of a cloud function, by a client or by an operator. */
export interface FunctionCall extends RequestContext {
  params: JsonObject;
  /** The URL of the Parse API that the caller used. */
  serverUrl: string;
}
