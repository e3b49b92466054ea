import { z } from "zod";
import { graphqlConfigSchema } from "../../core/graphqlConfig.ts";
import { jsonObject, type ParseEndpoint } from "../../core/http/endpoint.ts";

/** The server itself. */
export const SERVER_ENDPOINTS: readonly ParseEndpoint[] = [
  {
    method: "GET",
    path: "/health",
    access: "everyone",
    summary: "Whether the server responds",
    response: z.object({ status: z.literal("ok") }),
    isApplicationOptional: true,
  },
  {
    method: "GET",
    path: "/serverInfo",
    access: "masterKey",
    summary: "Version and features",
    response: z.object({ features: jsonObject, parseServerVersion: z.string() }),
  },
  {
    method: "GET",
    path: "/security",
    access: "masterKey",
    summary: "Insecure settings and permissions",
    response: z.object({
      report: z.object({
        version: z.string(),
        state: z.enum(["success", "fail"]),
        groups: z.array(jsonObject),
      }),
    }),
    errors: { 409: "Not enabled (108)" },
  },
  {
    method: "GET",
    path: "/graphql-config",
    access: "masterKey",
    summary: "Read the configuration of the GraphQL schema",
    response: graphqlConfigSchema,
  },
  {
    method: "PUT",
    path: "/graphql-config",
    access: "masterKey",
    summary: "Change the configuration of the GraphQL schema",
    body: z.object({ params: graphqlConfigSchema }),
    response: z.object({ result: z.literal(true) }),
  },
  {
    method: "POST",
    path: "/validate_purchase",
    access: "everyone",
    summary: "The file that a purchase in the App Store unlocks",
    body: z.object({
      receipt: z.union([z.string(), jsonObject]).describe("Base64 or Bytes"),
      productIdentifier: z.string(),
    }),
    response: z.union([jsonObject, z.object({ status: z.int(), error: z.string() })]),
  },
  {
    method: "GET",
    path: "/scriptlog",
    access: "masterKey",
    summary: "Lines of the log",
    query: z.object({
      level: z.enum(["info", "error", "verbose"]).optional().describe("verbose: all lines"),
      from: z.string().optional().describe("ISO 8601; a week ago by default"),
      until: z.string().optional().describe("ISO 8601"),
      size: z.int().optional().describe("10 by default"),
      order: z.enum(["asc", "desc"]).optional(),
    }),
    response: z.array(jsonObject),
  },
  {
    method: "GET",
    path: "/openapi.json",
    access: "everyone",
    summary: "This description as an OpenAPI 3.1 document",
    response: jsonObject,
    isApplicationOptional: true,
  },
  {
    method: "GET",
    path: "/docs",
    access: "everyone",
    summary: "This description as a page",
    response: z.string(),
    streams: ["text/html"],
    isApplicationOptional: true,
  },
];
