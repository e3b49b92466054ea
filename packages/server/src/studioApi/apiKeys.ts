import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { count, nothing, results, text } from "./fields.ts";

export const studioApiKey = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    limit: z.int().optional(),
    createdAt: z.string(),
    lastUsedAt: z.string().optional(),
    revokedAt: z.string().optional(),
  })
  .meta({ id: "StudioApiKey" });
export type StudioApiKey = z.infer<typeof studioApiKey>;

/** Number of requests within an hour, by id of the API key. */
export const studioKeyUsage = z
  .object({
    at: z.string().describe("Beginning of the hour"),
    requests: z.record(z.string(), z.int()),
  })
  .meta({ id: "StudioKeyUsage" });
export type StudioKeyUsage = z.infer<typeof studioKeyUsage>;

export const apiKeyEndpoints = {
  keys: endpoint("GET", "/keys", {
    needs: "readOnly",
    summary: "API keys of the data API with their usage in this process",
    input: nothing,
    response: results(studioApiKey.extend({ usedThisMinute: z.int() })),
  }),
  keyUsage: endpoint("GET", "/keys/usage", {
    needs: "readOnly",
    summary: "Requests by API key in the last 48 hours, all processes",
    input: nothing,
    response: results(studioKeyUsage),
  }),
  addKey: endpoint("POST", "/keys", {
    needs: "owner",
    summary: "Creates an API key, which is returned once",
    input: z.object({
      name: text(100).optional(),
      limit: count(1_000_000_000).default(0).describe("Requests per minute; 0 for the default"),
    }),
    response: z.object({ id: z.string(), key: z.string() }),
    status: 201,
  }),
  revokeKey: endpoint("DELETE", "/keys/:id", {
    needs: "owner",
    summary: "Revokes the key permanently",
    input: nothing,
    response: studioApiKey,
  }),
};
