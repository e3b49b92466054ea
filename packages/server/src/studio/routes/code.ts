import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { Cloud } from "../../cloud/index.ts";
import type { AuthContext } from "../../core/authContext.ts";
import type { LogBuffer } from "../../core/logBuffer.ts";
import { webhookFailure } from "../../core/webhookFailure.ts";
import type { JobService } from "../../jobs/jobService.ts";
import { codeEndpoints as endpoints, type StudioFunctionRun } from "../../studioApi/code.ts";
import { deliveryEndpoints } from "../../studioApi/deliveries.ts";
import { type Requests, route, type StudioRoute } from "../route.ts";
import { listNewest } from "./newestRows.ts";
import type { RouteDependencies } from "./routeContext.ts";

type CodeRequests = Requests<typeof endpoints>;

export interface CodeDependencies extends RouteDependencies {
  cloud: Pick<Cloud, "functionNames" | "definitions" | "health" | "runFunction">;
  /** The files of the plugins, in the order of loading. */
  pluginFiles: readonly string[];
  logBuffer: Pick<LogBuffer, "lines">;
  jobs: Pick<JobService, "startOnRequest">;
  /** The functions that webhooks implement. */
  webhookFunctions(): string[];
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

/** Routes for functions, jobs, schedules, and deliveries of chain events. */
export function codeRoutes(dependencies: CodeDependencies): StudioRoute[] {
  const { cloud, jobs, logBuffer, objects } = dependencies;
  return [
    route(endpoints.functions, functions),
    route(endpoints.runFunction, runFunction),
    route(endpoints.jobs, listJobs),
    route(endpoints.jobHistory, jobHistory),
    route(endpoints.runJob, runJob),
    route(endpoints.addSchedule, addSchedule),
    route(endpoints.changeSchedule, changeSchedule),
    route(endpoints.removeSchedule, removeSchedule),
    route(deliveryEndpoints.deliveries, deliveries),
    route(deliveryEndpoints.redeliver, redeliver),
  ];

  async function functions() {
    const { functions: defined, triggers, plugins, rateLimits } = cloud.definitions();
    return {
      functions: [...new Set([...cloud.functionNames(), ...dependencies.webhookFunctions()])].sort(),
      defined,
      triggers,
      // Plugins are loaded in the order of their files.
      plugins: plugins.map((plugin, at) => ({ ...plugin, file: dependencies.pluginFiles[at] ?? "" })),
      rateLimited: rateLimits.length,
      refused: cloud.health().refused,
    };
  }

  /** Runs a function as the operator or as a user. An error of the function is part of the result. */
  async function runFunction(request: CodeRequests["runFunction"]): Promise<StudioFunctionRun> {
    const { context, pathParams } = request;
    const { as, params: input = {} } = request.params;
    const auth: AuthContext = as === undefined ? context.auth : await dependencies.asUser(as);
    request.setAuditDetails({ after: { params: input, ...(as !== undefined && { as }) } });
    const started = performance.now();
    const { ip, requestId, serverUrl } = context;
    const call = { auth, ip, requestId, serverUrl, params: input, context: {}, installationId: undefined };
    const outcome = await cloud.runFunction(pathParams.name, call).then(
      ({ value }) => ({ result: value ?? null }),
      (error: unknown) => {
        if (!(error instanceof ProtocolError)) throw error;
        const { code, message, cause } = error;
        return {
          error: { code, error: message, ...(cause instanceof Error && { reason: webhookFailure(cause) }) },
        };
      },
    );
    return {
      ...outcome,
      ms: Math.round(performance.now() - started),
      requestId,
      logs: logBuffer.lines({ requestId }),
    };
  }

  async function listJobs(request: CodeRequests["jobs"]) {
    const { jobs: jobNames, schedules } = cloud.definitions();
    const stored = await listNewest(dependencies, request, "_JobSchedule", {});
    return { jobs: jobNames, defined: schedules, schedules: stored.results };
  }

  async function jobHistory(request: CodeRequests["jobHistory"]) {
    const { jobName } = request.params;
    return listNewest(dependencies, request, "_JobStatus", jobName === undefined ? {} : { jobName });
  }

  async function runJob(request: CodeRequests["runJob"]) {
    const { params: input = {} } = request.params;
    request.setAuditDetails({ after: input });
    const jobStatusId = await jobs.startOnRequest(request.pathParams.name, input, request.context);
    return { jobStatusId };
  }

  async function addSchedule(request: CodeRequests["addSchedule"]) {
    const fields = scheduleFields(request.params.fields);
    assertJob(fields.jobName);
    request.setAuditDetails({ after: fields });
    const { body } = await objects.create(request.context, "_JobSchedule", fields);
    return body;
  }

  async function changeSchedule(request: CodeRequests["changeSchedule"]) {
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

  async function removeSchedule(request: CodeRequests["removeSchedule"]) {
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

  /** Lists webhook deliveries of chain events, which are kept for a week after they succeeded. */
  async function deliveries(request: Requests<typeof deliveryEndpoints>["deliveries"]) {
    const { status } = request.params;
    return listNewest(dependencies, request, "_ChainMessage", status === undefined ? {} : { status });
  }

  /** Retries a failed delivery, or repeats a successful one. */
  async function redeliver(request: Requests<typeof deliveryEndpoints>["redeliver"]) {
    const { objectId } = request.pathParams;
    await objects.update(request.context, "_ChainMessage", objectId, { status: "waiting" });
    return {};
  }
}
