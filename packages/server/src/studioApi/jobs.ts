import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { jsonObject, newest, nothing, page, row, text } from "./fields.ts";

const schedule = z.object({
  fields: jsonObject.describe(
    "`jobName`, `description`, `params`, `catchUp`, `deadlineMs`, and either `cron` or `startAfter`, `daysOfWeek`, `timeOfDay`, `repeatMinutes`",
  ),
});
export const jobEndpoints = {
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
    input: z.object({ params: jsonObject.optional() }),
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
