import type { JsonObject } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import type { ApiRoute } from "../core/http/apiRoute.ts";
import type { PreparedCreate } from "../data/objects/objects.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";

/** A route of the Parse API. */
export interface ParseRoute extends ApiRoute<WriteRequest> {
  /**
   * Prepares the create that a request of a batch consists of; undefined if `handle` has to execute the request. Throws
   * what `handle` rejects with.
   */
  prepareCreate?(
    request: RequestContext,
    pathParams: Readonly<Record<string, string>>,
    params: JsonObject,
  ): PreparedCreate | undefined;
}
