import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { jsonObject, text, viewAs } from "./fields.ts";

export const studioConsoleResponse = z
  .object({
    status: z.int(),
    headers: z.record(z.string(), z.string()),
    body: z.string().describe("JSON text"),
    ms: z.int().describe("Duration on the server"),
    bytes: z.int().describe("Size of the body"),
    requestId: z.string(),
  })
  .meta({ id: "StudioConsoleResponse" });
export type StudioConsoleResponse = z.infer<typeof studioConsoleResponse>;

export const consoleEndpoints = {
  sendRequest: endpoint("POST", "/console/requests", {
    needs: "readOnly",
    summary:
      "Sends a request to the Parse API with the master key or as a user; errors are part of the response. `readOnly` may send GET only, and only owners delete classes and send batches",
    input: z.object({
      method: z.enum(["GET", "POST", "PUT", "DELETE"]),
      path: z
        .string()
        .max(8_000)
        .regex(/^\/[^#]*$/, "must begin with /")
        .describe("Path below the URL of the Parse API, with its query string: `/classes/Note?limit=5`"),
      body: jsonObject.optional(),
      as: viewAs,
    }),
    response: studioConsoleResponse,
  }),
  runGraphql: endpoint("POST", "/console/graphql", {
    needs: "readOnly",
    summary:
      "Runs a GraphQL operation with the master key or as a user; its errors are part of the response. `readOnly` may only read",
    input: z.object({
      query: text(200_000),
      variables: jsonObject.optional(),
      operationName: text(200).optional(),
      as: viewAs,
    }),
    response: studioConsoleResponse,
  }),
};
