import { z } from "zod";
import { created, fields, objectEndpoints } from "./objectEndpoints.ts";
import { jsonObject, jsonValue, type ParseEndpoint } from "./row.ts";

function saveInstallation(path: string): ParseEndpoint {
  return {
    method: "POST",
    path,
    access: "everyone",
    summary: "Create an installation, or update the one with the same `installationId`",
    body: fields,
    response: created,
    status: 201,
  };
}

/** Classes, aggregations and batches. */
export const OBJECT_ENDPOINTS: readonly ParseEndpoint[] = [
  {
    method: "GET",
    path: "/classes",
    access: "everyone",
    summary: "Classes that the caller may query, if `PURSE_ALLOW_CLIENT_CLASS_LIST` allows it",
    response: z.object({
      results: z.array(
        z.object({
          className: z.string(),
          fields: jsonObject,
          create: z.boolean(),
          addField: z.boolean(),
        }),
      ),
    }),
    errors: { 403: "Clients may not list the classes (119)" },
  },
  ...objectEndpoints("/classes/:className", "an object", "objects"),
  ...objectEndpoints("/roles", "a role", "roles"),
  ...objectEndpoints("/installations", "an installation", "installations").filter(
    ({ method }) => method !== "POST",
  ),
  saveInstallation("/installations"),
  {
    method: "GET",
    path: "/aggregate/:className",
    access: "masterKey",
    summary: "Aggregate objects by a `pipeline`, or list the values of a field",
    query: z.object({
      pipeline: z.array(jsonObject).optional().describe("Stages of the aggregation"),
      distinct: z.string().optional().describe("Name of a field"),
      where: jsonObject.optional().describe("Conditions for `distinct`"),
    }),
    response: z.object({ results: z.array(jsonValue) }),
  },
  {
    method: "POST",
    path: "/batch",
    access: "everyone",
    summary: "Execute up to 500 requests; `transaction` executes all or none",
    body: z.object({
      requests: z.array(
        z.object({
          method: z.enum(["GET", "POST", "PUT", "DELETE"]),
          path: z.string().describe("With the mount path: `/server/classes/Note`"),
          body: jsonObject.optional(),
        }),
      ),
      transaction: z.boolean().optional(),
    }),
    response: z
      .array(
        z.object({
          success: jsonValue.optional(),
          error: z.object({ code: z.int(), error: z.string() }).optional(),
        }),
      )
      .describe("Results in the order of the requests"),
  },
];
