import { type ApiOperation, createOpenApi } from "../core/openApi.ts";
import type { Endpoint } from "../studioApi/endpoint.ts";
import { studioError } from "../studioApi/errors.ts";
import { studioEndpoints } from "../studioApi/table.ts";

/** The OpenAPI document of the admin API. */
export const studioOpenApi = createOpenApi(() => ({
  title: "Purse admin API",
  description:
    "What operators do in the studio. Sign in with POST /session to get the cookie and the CSRF token.",
  serverUrl: "/studio/api",
  operations: studioEndpoints().map(({ section, endpoint }) => operationOf(section, endpoint)),
  error: studioError,
  securitySchemes: {
    session: { type: "apiKey", in: "cookie", name: "purse-studio" },
    csrf: {
      type: "apiKey",
      in: "header",
      name: "X-Purse-CSRF",
      description: "Required for all methods except GET; GET /state returns it",
    },
  },
}));

function operationOf(tag: string, endpoint: Endpoint): ApiOperation {
  const { method, path, needs, summary, input, bodyType, response, status, streams } = endpoint;
  const isEmpty = Object.keys(input.shape).length === 0;
  const hasQuery = method === "GET" || bodyType === "bytes";
  return {
    method,
    path,
    tag,
    summary,
    response,
    access: needs,
    security: needs === "none" ? [{}] : [{ session: [], ...(method !== "GET" && { csrf: [] }) }],
    ...(hasQuery && { query: input }),
    ...(!hasQuery && !isEmpty && { body: { "application/json": input } }),
    ...(bodyType === "bytes" && { body: { "application/octet-stream": undefined } }),
    ...(status !== undefined && { status }),
    ...(streams && { streams }),
  };
}
