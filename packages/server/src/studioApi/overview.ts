import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { nothing, results } from "./fields.ts";

/** Metrics of a ten-second interval. */
export const studioMetricsPoint = z
  .object({
    at: z.string(),
    requests: z.int(),
    refused: z.int().describe("Responses with status 400 to 499"),
    errors: z.int().describe("Responses with status 500 and above"),
    p50Ms: z.number(),
    p95Ms: z.number(),
    sockets: z.int(),
    subscriptions: z.int(),
    memoryBytes: z.int(),
    storageBytes: z.int().nullable().describe("Size of the database without its write-ahead log"),
    walBytes: z.int().nullable().describe("Size of the write-ahead log of an SQLite database"),
    lagBlocks: z.int().nullable(),
  })
  .meta({ id: "StudioMetricsPoint" });
export type StudioMetricsPoint = z.infer<typeof studioMetricsPoint>;

export const studioSlowRequest = z
  .object({
    at: z.string(),
    method: z.string(),
    path: z.string(),
    status: z.int(),
    ms: z.number(),
  })
  .meta({ id: "StudioSlowRequest" });
export type StudioSlowRequest = z.infer<typeof studioSlowRequest>;

export const studioRequest = studioSlowRequest
  .extend({
    requestId: z.string(),
    userId: z.string().optional().describe("The user who sent it"),
    isMaster: z.boolean().optional().describe("Whether it was sent with the master key"),
    code: z.int().optional().describe("The code of the error"),
  })
  .meta({ id: "StudioRequest" });
export type StudioRequest = z.infer<typeof studioRequest>;

export const overviewEndpoints = {
  overview: endpoint("GET", "/overview", {
    needs: "readOnly",
    summary: "Metrics of this process: last hour in steps of ten seconds",
    input: nothing,
    response: z.object({ points: z.array(studioMetricsPoint) }),
  }),
  slowRequests: endpoint("GET", "/slow-requests", {
    needs: "readOnly",
    summary: "Requests above half a second",
    input: nothing,
    response: results(studioSlowRequest),
  }),
  requests: endpoint("GET", "/requests", {
    needs: "readOnly",
    summary: "The last requests to this process, newest first",
    input: z.object({
      kind: z
        .enum(["all", "refused", "failed"])
        .default("all")
        .describe("refused: status 400 to 499; failed: status 500 and above"),
    }),
    response: results(studioRequest),
  }),
};
