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

/** A request to the server of a function or trigger, without secrets. */
export const studioHookCall = z
  .object({
    id: z.string(),
    at: z.string(),
    hook: z.string().describe("The function's name, or `beforeSave.Note`"),
    url: z.string(),
    request: z.string().describe("The JSON body of the request"),
    answer: z.string().optional().describe("The response, possibly truncated"),
    status: z.int().optional(),
    ms: z.number(),
    error: z.string().optional().describe("Why the request failed or the response could not be read"),
    isReplay: z.boolean().describe("Whether an operator repeated the request"),
    isTest: z.boolean().describe("Whether an operator sent an example"),
  })
  .meta({ id: "StudioHookCall" });
export type StudioHookCall = z.infer<typeof studioHookCall>;

export const studioHook = z
  .object({
    url: z.string(),
    functionName: z.string().optional(),
    className: z.string().optional(),
    triggerName: z.string().optional(),
  })
  .describe("A webhook of a function, or of a trigger of a class")
  .meta({ id: "StudioHook" });
export type StudioHook = z.infer<typeof studioHook>;

/** How webhooks are called. */
export const studioHookSettings = z
  .object({
    isSigned: z.boolean().describe("Whether `webhookKey` is set, with which requests are signed"),
    timeoutMs: z.int().describe("Time limit of a call of a function or trigger, which is not repeated"),
    allowsPrivate: z.boolean().describe("Whether webhooks may have private addresses"),
    deliveries: z
      .object({ attempts: z.int(), timeoutMs: z.int(), firstDelayMs: z.int(), maxDelayMs: z.int() })
      .describe("How events of chains are sent; delays between attempts double"),
  })
  .meta({ id: "StudioHookSettings" });
export type StudioHookSettings = z.infer<typeof studioHookSettings>;

const params = z.object({ params: jsonObject.optional() });
const schedule = z.object({
  fields: jsonObject.describe(
    "`jobName`, `description`, `params`, `catchUp`, `deadlineMs`, and either `cron` or `startAfter`, `daysOfWeek`, `timeOfDay`, `repeatMinutes`",
  ),
});
const url = z.object({ url: text() });

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
  hooks: endpoint("GET", "/hooks", {
    needs: "readOnly",
    summary: "Webhooks",
    input: nothing,
    response: z.object({ functions: z.array(studioHook), triggers: z.array(studioHook) }),
  }),
  hookSettings: endpoint("GET", "/hooks/settings", {
    needs: "readOnly",
    summary: "How webhooks are called: signature, time limits, repetitions",
    input: nothing,
    response: studioHookSettings,
  }),
  revealHookKey: endpoint("POST", "/hooks/key", {
    needs: "owner",
    summary: "The key with which requests to webhooks are signed; 101 if there is none",
    input: nothing,
    response: z.object({ webhookKey: z.string() }),
  }),
  testHook: endpoint("POST", "/hooks/test", {
    needs: "editor",
    summary: "Sends an example to a webhook, which need not be added yet; the response is not used",
    input: studioHook,
    response: studioHookCall,
  }),
  addHook: endpoint("POST", "/hooks", {
    needs: "editor",
    summary: "Adds a webhook: `functionName` and `url`, or `className`, `triggerName` and `url`",
    input: studioHook.partial(),
    response: studioHook,
    status: 201,
  }),
  changeFunctionHook: endpoint("PUT", "/hooks/functions/:functionName", {
    needs: "editor",
    summary: "Changes the webhook of a function",
    input: url,
    response: studioHook,
  }),
  removeFunctionHook: endpoint("DELETE", "/hooks/functions/:functionName", {
    needs: "editor",
    summary: "Deletes the webhook of a function",
    input: nothing,
    response: nothing,
  }),
  changeTriggerHook: endpoint("PUT", "/hooks/triggers/:className/:triggerName", {
    needs: "editor",
    summary: "Changes the webhook of a trigger",
    input: url,
    response: studioHook,
  }),
  removeTriggerHook: endpoint("DELETE", "/hooks/triggers/:className/:triggerName", {
    needs: "editor",
    summary: "Deletes the webhook of a trigger",
    input: nothing,
    response: nothing,
  }),
  deliveries: endpoint("GET", "/deliveries", {
    needs: "readOnly",
    summary: "Deliveries of chain events (`_ChainMessage`), kept for a week after they succeeded",
    input: z.object({ status: text().optional(), ...newest }),
    response: page(row),
  }),
  redeliver: endpoint("POST", "/deliveries/:objectId/send", {
    needs: "editor",
    summary: "Sends the delivery again",
    input: nothing,
    response: nothing,
  }),
  hookCalls: endpoint("GET", "/hook-calls", {
    needs: "readOnly",
    summary: "Calls of function and trigger webhooks, without secrets",
    input: z.object({ outcome: z.enum(["answered", "failed"]).optional(), ...newest }),
    response: page(studioHookCall),
  }),
  replayCall: endpoint("POST", "/hook-calls/:id/replay", {
    needs: "editor",
    summary: "Repeats the request; the response is not used",
    input: nothing,
    response: studioHookCall,
  }),
};
