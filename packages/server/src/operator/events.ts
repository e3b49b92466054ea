import { ErrorCode, isJsonObject, ProtocolError } from "@purse/protocol";
import type { ApiRequest, ApiRoute } from "../http/api.ts";

const EVENT_NAME = /^\P{Cc}{1,128}$/u;
/** More dimensions than this say nothing that could be counted. */
const MAX_DIMENSIONS = 8;

/** Takes what apps tell of their use. It is counted and kept nowhere else. */
export function eventRoutes(count: (event: string) => void): ApiRoute[] {
  return [{ method: "POST", path: "/events/:name", acceptsEndedSession: true, handle: take }];

  async function take({ pathParams: names, params }: ApiRequest) {
    const { name = "" } = names;
    if (!EVENT_NAME.test(name)) {
      throw new ProtocolError(
        ErrorCode.INVALID_EVENT_NAME,
        "An event needs a name of at most 128 characters",
      );
    }
    const { dimensions = {} } = params;
    if (!isJsonObject(dimensions) || Object.keys(dimensions).length > MAX_DIMENSIONS) {
      throw new ProtocolError(
        ErrorCode.INVALID_EVENT_NAME,
        `dimensions must be an object of at most ${MAX_DIMENSIONS} texts`,
      );
    }
    count(name);
    return {};
  }
}
