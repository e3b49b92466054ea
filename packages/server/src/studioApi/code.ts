import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { jsonObject, jsonValue, nothing, text } from "./fields.ts";
import { studioLogLine } from "./logs.ts";

export const studioFunctionRun = z
  .object({
    result: jsonValue.optional(),
    error: z
      .object({
        code: z.int(),
        error: z.string(),
        reason: z
          .string()
          .optional()
          .describe("Why a webhook could not be called, which clients are not told"),
      })
      .optional(),
    ms: z.int(),
    requestId: z.string(),
    logs: z.array(studioLogLine).describe("Log lines of the call that are still in the buffer"),
  })
  .meta({ id: "StudioFunctionRun" });
export type StudioFunctionRun = z.infer<typeof studioFunctionRun>;

export const codeEndpoints = {
  functions: endpoint("GET", "/functions", {
    needs: "readOnly",
    summary: "All functions; those of cloud code are `defined`",
    input: nothing,
    response: z.object({
      functions: z.array(z.string()),
      defined: z.array(z.string()),
      triggers: z.array(z.string()),
      plugins: z.array(z.object({ name: z.string(), functions: z.array(z.string()), file: z.string() })),
      rateLimited: z.int(),
      refused: z
        .array(z.object({ name: z.string(), isRefusedToAll: z.boolean(), remainingMs: z.number() }))
        .describe(
          "Functions and triggers that are refused for a while, because they blocked their thread repeatedly",
        ),
    }),
  }),
  runFunction: endpoint("POST", "/functions/:name", {
    needs: "editor",
    summary: "Runs a function; an error of the function is part of the result",
    input: z.object({
      params: jsonObject.optional(),
      as: text().optional().describe("Id of the user that calls the function"),
    }),
    response: studioFunctionRun,
  }),
};
