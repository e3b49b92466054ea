import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { Cloud } from "../../cloud/index.ts";
import type { Objects } from "../../data/objects/objects.ts";
import { type Requests, route, type StudioRoute } from "../../studio/route.ts";
import { listNewest } from "../../studio/routes/newestRows.ts";
import { jobEndpoints as endpoints } from "../../studioApi/jobs.ts";
import type { JobService } from "./jobService.ts";

type JobRequests = Requests<typeof endpoints>;

export interface JobAdminDependencies {
  cloud: Pick<Cloud, "definitions">;
  jobs: Pick<JobService, "startOnRequest">;
  objects: Objects;
}

/** Fields of a schedule that operators can set. */
const SCHEDULE_FIELDS = [
  "jobName",
  "description",
  "params",
  "cron",
  "startAfter",
  "daysOfWeek",
  "timeOfDay",
  "repeatMinutes",
  "catchUp",
  "deadlineMs",
];

/** Routes of the admin API for jobs and their schedules. */
export function jobAdminRoutes(dependencies: JobAdminDependencies): StudioRoute[] {
  const { cloud, jobs, objects } = dependencies;
  return [
    route(endpoints.jobs, listJobs),
    route(endpoints.jobHistory, jobHistory),
    route(endpoints.runJob, runJob),
    route(endpoints.addSchedule, addSchedule),
    route(endpoints.changeSchedule, changeSchedule),
    route(endpoints.removeSchedule, removeSchedule),
  ];

  async function listJobs(request: JobRequests["jobs"]) {
    const { jobs: jobNames, schedules } = cloud.definitions();
    const stored = await listNewest(dependencies, request, "_JobSchedule", {});
    return { jobs: jobNames, defined: schedules, schedules: stored.results };
  }

  async function jobHistory(request: JobRequests["jobHistory"]) {
    const { jobName } = request.params;
    return listNewest(dependencies, request, "_JobStatus", jobName === undefined ? {} : { jobName });
  }

  async function runJob(request: JobRequests["runJob"]) {
    const { params: input = {} } = request.params;
    request.setAuditDetails({ after: input });
    const jobStatusId = await jobs.startOnRequest(request.pathParams.name, input, request.context);
    return { jobStatusId };
  }

  async function addSchedule(request: JobRequests["addSchedule"]) {
    const fields = scheduleFields(request.params.fields);
    assertJob(fields.jobName);
    request.setAuditDetails({ after: fields });
    const { body } = await objects.create(request.context, "_JobSchedule", fields);
    return body;
  }

  async function changeSchedule(request: JobRequests["changeSchedule"]) {
    const fields = scheduleFields(request.params.fields);
    if (fields.jobName !== undefined) assertJob(fields.jobName);
    const { objectId } = request.pathParams;
    request.setAuditDetails({
      before: JSON.parse(await objects.get(request.context, "_JobSchedule", objectId, {})),
      after: fields,
    });
    const { body } = await objects.update(request.context, "_JobSchedule", objectId, fields);
    return body;
  }

  async function removeSchedule(request: JobRequests["removeSchedule"]) {
    const { objectId } = request.pathParams;
    request.setAuditDetails({
      before: JSON.parse(await objects.get(request.context, "_JobSchedule", objectId, {})),
    });
    await objects.remove(request.context, "_JobSchedule", objectId);
    return {};
  }

  function scheduleFields(input: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(input).filter(([name]) => SCHEDULE_FIELDS.includes(name)));
  }

  function assertJob(name: unknown): void {
    if (typeof name === "string" && cloud.definitions().jobs.includes(name)) return;
    throw new ProtocolError(ErrorCode.VALIDATION_ERROR, "jobName must be a job of the cloud code.");
  }
}
