import { z } from "zod";
import { graphqlConfigSchema } from "../../graphql/index.ts";
import { jsonObject, type ParseEndpoint } from "./row.ts";

/** The server itself. */
export const SERVER_ENDPOINTS: readonly ParseEndpoint[] = [
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
];
