import { ErrorCode, isJsonObject, ProtocolError } from "@purse/protocol";
import type { ApiRequest, ApiRoute } from "../../core/http/apiRoute.ts";

const EVENT_NAME = /^\P{Cc}{1,128}$/u;
/** Maximum number of dimensions of an event. */
const MAX_DIMENSIONS = 8;

/** Accepts analytics events of apps. They are only counted, not stored. */
export function analyticsRoutes(count: (event: string) => void): ApiRoute[] {
  return [{ method: "POST", path: "/events/:name", acceptsEndedSession: true, handle: record }];

  async function record({ pathParams: names, params }: ApiRequest) {
    const { name = "" } = names;
    if (!EVENT_NAME.test(name)) {
      throw new ProtocolError(
        ErrorCode.INVALID_EVENT_NAME,
        "The name of an event must have 1 to 128 characters",
      );
    }
    const { dimensions = {} } = params;
    if (!isJsonObject(dimensions) || Object.keys(dimensions).length > MAX_DIMENSIONS) {
      throw new ProtocolError(
        ErrorCode.INVALID_EVENT_NAME,
        `dimensions must be an object with at most ${MAX_DIMENSIONS} strings`,
      );
    }
    count(name);
    return {};
  }
}
