import { z } from "zod";
import { created, fields, object, objectEndpoints, updated } from "./objectEndpoints.ts";
import { jsonObject, jsonValue, nothing, type ParseEndpoint } from "./row.ts";

const FUNCTION_FAILED = { 400: "The function failed (141), or its validator rejected the request (142)" };
const schedule = z.object({ job_schedule: jsonObject.describe("Fields of `_JobSchedule`") });
const hook = z
  .object({
    url: z.string(),
    functionName: z.string().optional(),
    className: z.string().optional(),
    triggerName: z.string().optional(),
  })
  .describe("A webhook of a function, or of a trigger of a class")
  .meta({ id: "Webhook" });
const url = z.object({ url: z.string().optional(), __op: z.literal("Delete").optional() });

/** The routes of the webhooks of functions, or of those of triggers. */
function hookEndpoints(list: string, one: string, noun: string): ParseEndpoint[] {
  const access = "masterKey";
  return [
    { method: "GET", path: list, access, summary: `Webhooks of ${noun}s`, response: z.array(hook) },
    {
      method: "POST",
      path: list,
      access,
      summary: `Add a webhook of a ${noun}`,
      body: hook,
      response: hook,
    },
    { method: "GET", path: one, access, summary: `Read the webhook of a ${noun}`, response: hook },
    {
      method: "PUT",
      path: one,
      access,
      summary: `Change the webhook of a ${noun}, or delete it by \`__op\``,
      body: url,
      response: hook.partial(),
    },
    { method: "DELETE", path: one, access, summary: `Delete the webhook of a ${noun}`, response: nothing },
  ];
}

/** Functions, jobs, webhooks, config, analytics and pushes. */
export const FUNCTION_ENDPOINTS: readonly ParseEndpoint[] = [
  {
    method: "POST",
    path: "/functions/:name",
    access: "everyone",
    summary: "Call a cloud function; its validator decides who may call it",
    body: jsonObject.describe("Parameters of the function"),
    response: z.object({ result: jsonValue.optional() }),
    errors: FUNCTION_FAILED,
    isApplicationOptional: true,
  },
  {
    method: "POST",
    path: "/jobs",
    access: "masterKey",
    summary: "Start the job `jobName`; `X-Parse-Job-Status-Id` is the id of its status",
    body: z.looseObject({ jobName: z.string() }),
    response: nothing,
  },
  {
    method: "POST",
    path: "/jobs/:name",
    access: "masterKey",
    summary: "Start a job; `X-Parse-Job-Status-Id` is the id of its status",
    body: jsonObject.describe("Parameters of the job"),
    response: nothing,
  },
  {
    method: "GET",
    path: "/cloud_code/jobs",
    access: "masterKey",
    summary: "Job schedules",
    response: z.array(object),
  },
  {
    method: "GET",
    path: "/cloud_code/jobs/data",
    access: "masterKey",
    summary: "Names of jobs, and of those with a schedule",
    response: z.object({ in_use: z.array(z.string()), jobs: z.array(z.string()) }),
  },
  {
    method: "POST",
    path: "/cloud_code/jobs",
    access: "masterKey",
    summary: "Schedule a job",
    body: schedule,
    response: created,
    status: 201,
  },
  {
    method: "PUT",
    path: "/cloud_code/jobs/:objectId",
    access: "masterKey",
    summary: "Change a schedule",
    body: schedule,
    response: updated,
  },
  {
    method: "DELETE",
    path: "/cloud_code/jobs/:objectId",
    access: "masterKey",
    summary: "Delete a schedule",
    response: nothing,
  },
  ...hookEndpoints("/hooks/functions", "/hooks/functions/:functionName", "function"),
  ...hookEndpoints("/hooks/triggers", "/hooks/triggers/:className/:triggerName", "trigger"),
  {
    method: "GET",
    path: "/config",
    access: "everyone",
    summary: "Read the config of the application",
    response: z.object({
      params: jsonObject,
      masterKeyOnly: jsonObject.optional().describe("With the master key: names of hidden parameters"),
    }),
  },
  {
    method: "PUT",
    path: "/config",
    access: "masterKey",
    summary: "Change the config",
    body: z.object({ params: fields, masterKeyOnly: jsonObject.optional() }),
    response: z.object({ result: z.literal(true) }),
  },
  {
    method: "POST",
    path: "/events/:name",
    access: "everyone",
    summary: "Count an analytics event",
    body: z.object({ dimensions: z.record(z.string(), z.string()).optional(), at: jsonValue.optional() }),
    response: nothing,
  },
  {
    method: "POST",
    path: "/push",
    access: "masterKey",
    summary: "Send a push notification; `X-Parse-Push-Status-Id` is the id of its status",
    body: z.object({
      where: jsonObject.optional().describe("Conditions on installations"),
      channels: z.array(z.string()).optional(),
      data: jsonObject,
      push_time: z.string().optional(),
      expiration_time: z.union([z.string(), z.number()]).optional(),
      expiration_interval: z.number().optional().describe("Seconds"),
    }),
    response: z.object({ result: z.literal(true) }),
  },
  ...objectEndpoints("/push_audiences", "an audience", "audiences").map(
    (endpoint): ParseEndpoint => ({ ...endpoint, access: "masterKey" }),
  ),
];
