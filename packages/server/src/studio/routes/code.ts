import { ErrorCode, type JsonObject, ProtocolError, type StudioFunctionRun } from "@purse/protocol";
import type { Cloud } from "../../cloud/index.ts";
import type { AuthContext } from "../../core/authContext.ts";
import { type LogBuffer, type LogFilter, matchesFilter } from "../../core/logBuffer.ts";
import type { JobService } from "../../jobs/jobService.ts";
import type { WebhookService } from "../../webhooks/webhookService.ts";
import type { WebhookCalls } from "../../webhooks/webhooks.ts";
import { eventStream } from "../eventStream.ts";
import {
  integerParameter,
  invalidParameter,
  objectParameter,
  optionalObjectParameter,
  optionalStringParameter,
  stringParameter,
} from "../parameters.ts";
import { json, type StudioRequest, type StudioRoute } from "../route.ts";
import { listNewest, type RouteDependencies } from "./routeHelpers.ts";

export interface CodeDependencies extends RouteDependencies {
  cloud: Pick<Cloud, "functionNames" | "definitions" | "runFunction">;
  /** The files of the plugins, in the order of loading. */
  pluginFiles: readonly string[];
  logBuffer: LogBuffer;
  hookCalls: WebhookCalls;
  jobs: Pick<JobService, "startOnRequest">;
  webhooks: WebhookService;
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

/** Routes for functions, jobs, schedules, webhooks with their deliveries, and logs. */
export function codeRoutes(dependencies: CodeDependencies): StudioRoute[] {
  const { cloud, jobs, logBuffer, objects, webhooks } = dependencies;
  return [
    { method: "GET", path: "/functions", needs: "readOnly", handle: functions },
    { method: "POST", path: "/functions/:name", needs: "editor", handle: runFunction },
    { method: "GET", path: "/jobs", needs: "readOnly", handle: listJobs },
    { method: "GET", path: "/jobs/history", needs: "readOnly", handle: jobHistory },
    { method: "POST", path: "/jobs/:name/run", needs: "editor", handle: runJob },
    { method: "POST", path: "/schedules", needs: "editor", handle: addSchedule },
    { method: "PUT", path: "/schedules/:objectId", needs: "editor", handle: changeSchedule },
    { method: "DELETE", path: "/schedules/:objectId", needs: "editor", handle: removeSchedule },
    { method: "GET", path: "/hooks", needs: "readOnly", handle: listHooks },
    { method: "POST", path: "/hooks", needs: "editor", handle: addHook },
    {
      method: "PUT",
      path: "/hooks/functions/:functionName",
      needs: "editor",
      handle: changeHook,
    },
    {
      method: "DELETE",
      path: "/hooks/functions/:functionName",
      needs: "editor",
      handle: removeHook,
    },
    {
      method: "PUT",
      path: "/hooks/triggers/:className/:triggerName",
      needs: "editor",
      handle: changeHook,
    },
    {
      method: "DELETE",
      path: "/hooks/triggers/:className/:triggerName",
      needs: "editor",
      handle: removeHook,
    },
    { method: "GET", path: "/deliveries", needs: "readOnly", handle: deliveries },
    { method: "POST", path: "/deliveries/:objectId/send", needs: "editor", handle: redeliver },
    { method: "GET", path: "/hook-calls", needs: "readOnly", handle: hookCalls },
    { method: "POST", path: "/hook-calls/:id/replay", needs: "editor", handle: replayCall },
    { method: "GET", path: "/logs", needs: "readOnly", handle: logs },
    { method: "GET", path: "/logs/tail", needs: "readOnly", handle: tail },
  ];

  async function functions() {
    const { functions: defined, triggers, plugins, rateLimits } = cloud.definitions();
    const remoteNames = webhooks
      .functions()
      .flatMap((webhook) => ("functionName" in webhook ? webhook.functionName : []));
    return json({
      functions: [...new Set([...cloud.functionNames(), ...remoteNames])].sort(),
      defined,
      triggers,
      // Plugins are loaded in the order of their files.
      plugins: plugins.map((plugin, at) => ({ ...plugin, file: dependencies.pluginFiles[at] ?? "" })),
      rateLimited: rateLimits.length,
    });
  }

  /** Runs a function as the operator or as a user. An error of the function is part of the result. */
  async function runFunction(request: StudioRequest) {
    const { context, pathParams, params } = request;
    const as = optionalStringParameter(params, "as");
    const input = optionalObjectParameter(params, "params") ?? {};
    const auth: AuthContext = as === undefined ? context.auth : await dependencies.asUser(as);
    request.setAuditDetails({ after: { params: input, ...(as !== undefined && { as }) } });
    const started = performance.now();
    const { ip, requestId, serverUrl } = context;
    const call = { auth, ip, requestId, serverUrl, params: input, context: {}, installationId: undefined };
    const outcome = await cloud.runFunction(pathParams.name ?? "", call).then(
      ({ value }) => ({ result: value ?? null }),
      (error: unknown) => {
        if (!(error instanceof ProtocolError)) throw error;
        return { error: { code: error.code, error: error.message } };
      },
    );
    const run: StudioFunctionRun = {
      ...outcome,
      ms: Math.round(performance.now() - started),
      requestId,
      logs: logBuffer.lines({ requestId }),
    };
    return json(run);
  }

  async function listJobs(request: StudioRequest) {
    const { jobs: jobNames, schedules } = cloud.definitions();
    const stored = await listNewest(dependencies, request, "_JobSchedule", {});
    return json({ jobs: jobNames, defined: schedules, schedules: stored.results });
  }

  async function jobHistory(request: StudioRequest) {
    const jobName = optionalStringParameter(request.params, "jobName");
    return json(
      await listNewest(dependencies, request, "_JobStatus", jobName === undefined ? {} : { jobName }),
    );
  }

  async function runJob(request: StudioRequest) {
    const { pathParams, params } = request;
    const input = optionalObjectParameter(params, "params") ?? {};
    request.setAuditDetails({ after: input });
    const jobStatusId = await jobs.startOnRequest(pathParams.name ?? "", input, request.context);
    return json({ jobStatusId }, 201);
  }

  async function addSchedule(request: StudioRequest) {
    const fields = scheduleFields(request);
    assertJob(fields.jobName);
    request.setAuditDetails({ after: fields });
    const { body } = await objects.create(request.context, "_JobSchedule", fields);
    return json(body, 201);
  }

  async function changeSchedule(request: StudioRequest) {
    const fields = scheduleFields(request);
    if (fields.jobName !== undefined) assertJob(fields.jobName);
    const { objectId = "" } = request.pathParams;
    request.setAuditDetails({
      before: JSON.parse(await objects.get(request.context, "_JobSchedule", objectId, {})),
      after: fields,
    });
    const { body } = await objects.update(request.context, "_JobSchedule", objectId, fields);
    return json(body);
  }

  async function removeSchedule(request: StudioRequest) {
    const { objectId = "" } = request.pathParams;
    request.setAuditDetails({
      before: JSON.parse(await objects.get(request.context, "_JobSchedule", objectId, {})),
    });
    await objects.remove(request.context, "_JobSchedule", objectId);
    return {};
  }

  function scheduleFields({ params }: StudioRequest): JsonObject {
    const input = objectParameter(params, "fields");
    return Object.fromEntries(Object.entries(input).filter(([name]) => SCHEDULE_FIELDS.includes(name)));
  }

  function assertJob(name: unknown): void {
    if (typeof name === "string" && cloud.definitions().jobs.includes(name)) return;
    throw new ProtocolError(ErrorCode.VALIDATION_ERROR, "jobName must be a job of the cloud code.");
  }

  async function listHooks() {
    return json({ functions: webhooks.functions(), triggers: webhooks.triggers() });
  }

  async function addHook(request: StudioRequest) {
    const { functionName, className, triggerName, url } = request.params;
    const isFunction = functionName !== undefined;
    const hook: JsonObject = isFunction
      ? { functionName, url: url ?? "" }
      : { className: className ?? "", triggerName: triggerName ?? "", url: url ?? "" };
    request.setAuditDetails({ after: hook });
    return json(await webhooks.create(hook), 201);
  }

  async function changeHook(request: StudioRequest) {
    const change = { url: stringParameter(request.params, "url") };
    request.setAuditDetails({ before: webhooks.get(request.pathParams), after: change });
    return json(await webhooks.update(request.pathParams, change));
  }

  async function removeHook(request: StudioRequest) {
    request.setAuditDetails({ before: webhooks.get(request.pathParams), after: {} });
    await webhooks.remove(request.pathParams);
    return {};
  }

  /** Lists webhook deliveries of chain events, which are kept for a week after they succeeded. */
  async function deliveries(request: StudioRequest) {
    const status = optionalStringParameter(request.params, "status");
    return json(
      await listNewest(dependencies, request, "_ChainMessage", status === undefined ? {} : { status }),
    );
  }

  /** Retries a failed delivery, or repeats a successful one. */
  async function redeliver(request: StudioRequest) {
    const { objectId = "" } = request.pathParams;
    await objects.update(request.context, "_ChainMessage", objectId, { status: "waiting" });
    return {};
  }

  /** Lists requests of this process to the servers of functions and triggers. */
  async function hookCalls({ params }: StudioRequest) {
    const outcome = optionalStringParameter(params, "outcome");
    if (outcome !== undefined && outcome !== "answered" && outcome !== "failed") {
      throw invalidParameter("outcome must be answered or failed");
    }
    const limit = Math.max(1, integerParameter(params, "limit", 50, 500));
    return json(
      dependencies.hookCalls.list({ outcome, after: optionalStringParameter(params, "after"), limit }),
    );
  }

  async function replayCall({ pathParams }: StudioRequest) {
    return json(await dependencies.hookCalls.replay(pathParams.id ?? ""));
  }

  async function logs({ params }: StudioRequest) {
    const lines = logBuffer.lines(parseLogFilter(params));
    return json({ results: lines.slice(-integerParameter(params, "limit", 500, 2_000)) });
  }

  async function tail(request: StudioRequest) {
    const filter = parseLogFilter(request.params);
    return eventStream(request, (send) => {
      for (const line of logBuffer.lines(filter).slice(-100)) send("line", line);
      return logBuffer.onLine((line) => {
        if (matchesFilter(line, filter)) send("line", line);
      });
    });
  }
}

function parseLogFilter(params: JsonObject): LogFilter {
  const after = integerParameter(params, "after", 0, Number.MAX_SAFE_INTEGER);
  return {
    level: optionalStringParameter(params, "level"),
    text: optionalStringParameter(params, "text"),
    requestId: optionalStringParameter(params, "requestId"),
    after: after === 0 ? undefined : after,
  };
}
