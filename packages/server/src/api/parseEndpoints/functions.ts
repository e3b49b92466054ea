import { z } from "zod";
import { created, object, updated } from "./objectEndpoints.ts";
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
];
