import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { jsonObject, jsonValue, newest, nothing, page, row, text } from "./fields.ts";
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

const params = z.object({ params: jsonObject.optional() });
const schedule = z.object({
  fields: jsonObject.describe(
    "`jobName`, `description`, `params`, `catchUp`, `deadlineMs`, and either `cron` or `startAfter`, `daysOfWeek`, `timeOfDay`, `repeatMinutes`",
  ),
});
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
    input: params.extend({ as: text().optional().describe("Id of the user that calls the function") }),
    response: studioFunctionRun,
  }),
  jobs: endpoint("GET", "/jobs", {
    needs: "readOnly",
    summary: "Names of jobs, schedules of cloud code, and rows of `_JobSchedule`",
    input: z.object(newest),
    response: z.object({
      jobs: z.array(z.string()),
      defined: z.array(z.object({ jobName: z.string(), cron: z.string(), params: jsonObject })),
      schedules: z.array(row),
    }),
  }),
  jobHistory: endpoint("GET", "/jobs/history", {
    needs: "readOnly",
    summary: "Rows of `_JobStatus`",
    input: z.object({ jobName: text().optional(), ...newest }),
    response: page(row),
  }),
  runJob: endpoint("POST", "/jobs/:name/run", {
    needs: "editor",
    summary: "Starts a job",
    input: params,
    response: z.object({ jobStatusId: z.string() }),
    status: 201,
  }),
  addSchedule: endpoint("POST", "/schedules", {
    needs: "editor",
    summary: "Schedules a job",
    input: schedule,
    response: row,
    status: 201,
  }),
  changeSchedule: endpoint("PUT", "/schedules/:objectId", {
    needs: "editor",
    summary: "Changes a schedule",
    input: schedule,
    response: row,
  }),
  removeSchedule: endpoint("DELETE", "/schedules/:objectId", {
    needs: "editor",
    summary: "Deletes a schedule",
    input: nothing,
    response: nothing,
  }),
};
