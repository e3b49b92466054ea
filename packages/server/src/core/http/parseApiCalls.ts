import type { IncomingMessage } from "node:http";
import type { JsonObject } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import type { ApiReply, Method } from "./apiRoute.ts";
import type { Envelope } from "./envelope.ts";
import type { ValueReply } from "./valueReply.ts";

/** Calls of the Parse API from inside the process. */
export interface ParseApiCalls {
  /** Authenticates a request whose body another component reads. Throws 119, 155 or 209. */
  authenticate(envelope: Envelope, message: IncomingMessage, path: string): Promise<RequestContext>;
  /**
   * Executes an operation for a request that has been authenticated, as the batch route executes those of a batch: with
   * its permissions and the limits of the operation. Rejects with the error.
   */
  execute(request: RequestContext, method: Method, path: string, params: JsonObject): Promise<ApiReply>;
  /** Like `execute`, for callers that would parse the text of the response. */
  executeForValue(
    request: RequestContext,
    method: Method,
    path: string,
    params: JsonObject,
  ): Promise<ValueReply>;
}
