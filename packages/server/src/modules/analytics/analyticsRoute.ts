import { ErrorCode, isJsonObject, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import type { ApiRoute } from "../../core/http/apiRoute.ts";
import { jsonValue, nothing, routeOf } from "../../core/http/endpoint.ts";

const EVENT_NAME = /^\P{Cc}{1,128}$/u;
/** Maximum number of dimensions of an event. */
const MAX_DIMENSIONS = 8;

const ENDPOINT = {
  method: "POST",
  path: "/events/:name",
  access: "everyone",
  heading: "Functions, jobs, webhooks, config",
  summary: "Count an analytics event",
  schemas: () => ({
    ...nothing(),
    body: z.object({
      dimensions: z.record(z.string(), z.string()).optional(),
      at: jsonValue().optional(),
    }),
  }),
  acceptsEndedSession: true,
} as const;

/** Accepts analytics events of apps. They are only counted, not stored. */
export function analyticsRoute(count: (event: string) => void): ApiRoute {
  return routeOf(ENDPOINT, async ({ pathParams: { name = "" }, params: { dimensions = {} } }) => {
    if (!EVENT_NAME.test(name)) {
      throw new ProtocolError(
        ErrorCode.INVALID_EVENT_NAME,
        "The name of an event must have 1 to 128 characters",
      );
    }
    if (!isJsonObject(dimensions) || Object.keys(dimensions).length > MAX_DIMENSIONS) {
      throw new ProtocolError(
        ErrorCode.INVALID_EVENT_NAME,
        `dimensions must be an object with at most ${MAX_DIMENSIONS} strings`,
      );
    }
    count(name);
    return {};
  });
}
