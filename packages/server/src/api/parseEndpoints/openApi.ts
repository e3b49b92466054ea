import type { JsonObject } from "@purse/protocol";
import { z } from "zod";
import type { ParseEndpoint } from "../../core/http/endpoint.ts";
import { type ApiOperation, createOpenApi } from "../../core/openApi.ts";
import { MOUNT_PATH } from "../paths.ts";
import { PARSE_ENDPOINTS } from "./table.ts";

const parseError = z
  .object({ code: z.int().describe("Error code of the Parse protocol"), error: z.string() })
  .meta({ id: "Error" });

/** The OpenAPI document of the Parse API. */
export const parseOpenApi = createOpenApi(() => ({
  title: "Purse Parse API",
  description:
    "Objects, users, files and cloud functions in the Parse protocol. Like the Parse SDKs, clients may send every request as POST with `_ApplicationId`, `_SessionToken`, `_MasterKey`, `_InstallationId`, `_context` and `_method` in the body.",
  serverUrl: MOUNT_PATH,
  operations: Object.entries(PARSE_ENDPOINTS).flatMap(([tag, endpoints]) =>
    endpoints.map((endpoint) => operationOf(tag, endpoint)),
  ),
  error: parseError,
  securitySchemes: {
    applicationId: { type: "apiKey", in: "header", name: "X-Parse-Application-Id" },
    sessionToken: { type: "apiKey", in: "header", name: "X-Parse-Session-Token" },
    masterKey: {
      type: "apiKey",
      in: "header",
      name: "X-Parse-Master-Key",
      description: "Master key or read-only master key, from an address in PURSE_MASTER_KEY_IPS",
    },
  },
  parameters: {
    InstallationId: {
      name: "X-Parse-Installation-Id",
      in: "header",
      schema: { type: "string" },
    },
    RequestId: {
      name: "X-Parse-Request-Id",
      in: "header",
      description: "Id of an idempotent request",
      schema: { type: "string" },
    },
    CloudContext: {
      name: "X-Parse-Cloud-Context",
      in: "header",
      description: "Context for triggers",
      content: { "application/json": { schema: { type: "object" } } },
    },
  },
}));

function operationOf(tag: string, endpoint: ParseEndpoint): ApiOperation {
  const {
    body,
    bodyType = "application/json",
    rawBodyType,
    access,
    isApplicationOptional,
    isStream: _,
    ...operation
  } = endpoint;
  const isRead = endpoint.method === "GET" || endpoint.method === "HEAD";
  const headers = isRead
    ? ["InstallationId", "CloudContext"]
    : ["InstallationId", "RequestId", "CloudContext"];
  return {
    ...operation,
    tag,
    access,
    security: isApplicationOptional ? [{}, ...SECURITY[access]] : SECURITY[access],
    parameters: headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...((body || rawBodyType !== undefined) && {
      body: {
        ...(body && { [bodyType]: body }),
        ...(rawBodyType !== undefined && { [rawBodyType]: undefined }),
      },
    }),
  };
}

/** A user or the master key is never required where everyone may call an endpoint, but may allow more. */
const SECURITY: Readonly<Record<ParseEndpoint["access"], JsonObject[]>> = {
  everyone: [
    { applicationId: [] },
    { applicationId: [], sessionToken: [] },
    { applicationId: [], masterKey: [] },
  ],
  user: [{ applicationId: [], sessionToken: [] }],
  masterKey: [{ applicationId: [], masterKey: [] }],
};
