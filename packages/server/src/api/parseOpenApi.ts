import type { JsonObject } from "@purse/protocol";
import { z } from "zod";
import type { ParseAccess, ParseEndpoint } from "../core/http/apiRoute.ts";
import { MOUNT_PATH } from "../core/http/paths.ts";
import { type ApiOperation, describeApi } from "../core/openApi.ts";

const parseError = z
  .object({ code: z.int().describe("Error code of the Parse protocol"), error: z.string() })
  .meta({ id: "Error" });

/** The OpenAPI document of the Parse API. */
export function parseOpenApi(endpoints: readonly ParseEndpoint[]): JsonObject {
  return describeApi({
    title: "Purse Parse API",
    description:
      "Objects, users, files and cloud functions in the Parse protocol. Like the Parse SDKs, clients may send every request as POST with `_ApplicationId`, `_SessionToken`, `_MasterKey`, `_InstallationId`, `_context` and `_method` in the body.",
    serverUrl: MOUNT_PATH,
    operations: endpoints
      .filter(({ isAlias }) => !isAlias)
      .map(operationOf)
      .sort((a, b) => rankOf(a.tag) - rankOf(b.tag)),
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
  });
}

/** The headings of the documentation of the Parse API, in their order. Those of other modules follow. */
const HEADINGS: readonly string[] = [
  "Objects",
  "Users and sessions",
  "Functions, jobs, webhooks, config",
  "Schemas",
  "Files and IPFS",
  "Server",
];

/** The position of a heading. */
function rankOf(heading: string): number {
  const position = HEADINGS.indexOf(heading);
  return position < 0 ? HEADINGS.length : position;
}

function operationOf(endpoint: ParseEndpoint): ApiOperation {
  const { heading = "Modules", bodyType = "application/json", rawBodyType, access } = endpoint;
  const { isApplicationOptional, method, path, summary, status, streams, errors } = endpoint;
  const { body, query, response } = endpoint.schemas();
  const isRead = endpoint.method === "GET" || endpoint.method === "HEAD";
  const headers = isRead
    ? ["InstallationId", "CloudContext"]
    : ["InstallationId", "RequestId", "CloudContext"];
  return {
    method,
    path,
    tag: heading,
    summary,
    access,
    response,
    ...(query && { query }),
    ...(status !== undefined && { status }),
    ...(streams && { streams }),
    ...(errors && { errors }),
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
const SECURITY: Readonly<Record<ParseAccess, JsonObject[]>> = {
  everyone: [
    { applicationId: [] },
    { applicationId: [], sessionToken: [] },
    { applicationId: [], masterKey: [] },
  ],
  user: [{ applicationId: [], sessionToken: [] }],
  masterKey: [{ applicationId: [], masterKey: [] }],
};
