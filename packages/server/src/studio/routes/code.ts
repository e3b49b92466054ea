import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { DELIVERY_POLICY } from "../../chainEvents/index.ts";
import type { Cloud } from "../../cloud/index.ts";
import type { Config } from "../../config/loadConfig.ts";
import type { AuthContext } from "../../core/authContext.ts";
import type { LogBuffer } from "../../core/logBuffer.ts";
import { webhookFailure } from "../../core/webhookFailure.ts";
import type { JobService } from "../../jobs/jobService.ts";
import {
  codeEndpoints as endpoints,
  type StudioFunctionRun,
  type StudioHookSettings,
} from "../../studioApi/code.ts";
import type { WebhookService } from "../../webhooks/webhookService.ts";
import type { WebhookCalls } from "../../webhooks/webhooks.ts";
import { type Requests, route, type StudioRoute } from "../route.ts";
import { listNewest } from "./newestRows.ts";
import type { RouteDependencies } from "./routeContext.ts";

type CodeRequests = Requests<typeof endpoints>;

export interface CodeDependencies extends RouteDependencies {
  cloud: Pick<Cloud, "functionNames" | "definitions" | "health" | "runFunction">;
  /** The files of the plugins, in the order of loading. */
  pluginFiles: readonly string[];
  logBuffer: Pick<LogBuffer, "lines">;
  hookCalls: WebhookCalls;
  jobs: Pick<JobService, "startOnRequest">;
  webhooks: WebhookService;
  config: Pick<Config, "webhookKey" | "functionTimeoutMs" | "allowPrivateHooks">;
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

/** Routes for functions, jobs, schedules, and webhooks with their deliveries. */
export function codeRoutes(dependencies: CodeDependencies): StudioRoute[] {
  const { cloud, jobs, logBuffer, objects, webhooks } = dependencies;
  return [
    route(endpoints.functions, functions),
    route(endpoints.runFunction, runFunction),
    route(endpoints.jobs, listJobs),
    route(endpoints.jobHistory, jobHistory),
    route(endpoints.runJob, runJob),
    route(endpoints.addSchedule, addSchedule),
    route(endpoints.changeSchedule, changeSchedule),
    route(endpoints.removeSchedule, removeSchedule),
    route(endpoints.hooks, async () => ({ functions: webhooks.functions(), triggers: webhooks.triggers() })),
    route(endpoints.hookSettings, async () => hookSettings()),
    route(endpoints.revealHookKey, revealHookKey),
    route(endpoints.testHook, testHook),
    route(endpoints.addHook, addHook),
    route(endpoints.changeFunctionHook, changeHook),
    route(endpoints.removeFunctionHook, removeHook),
    route(endpoints.changeTriggerHook, changeHook),
    route(endpoints.removeTriggerHook, removeHook),
    route(endpoints.deliveries, deliveries),
    route(endpoints.redeliver, redeliver),
    route(endpoints.hookCalls, async ({ params }) => dependencies.hookCalls.list(params)),
    route(endpoints.replayCall, ({ pathParams }) => dependencies.hookCalls.replay(pathParams.id)),
  ];

  async function functions() {
    const { functions: defined, triggers, plugins, rateLimits } = cloud.definitions();
    const remoteNames = webhooks
      .functions()
      .flatMap((webhook) => ("functionName" in webhook ? webhook.functionName : []));
    return {
      functions: [...new Set([...cloud.functionNames(), ...remoteNames])].sort(),
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

  function hookSettings(): StudioHookSettings {
    const { webhookKey, functionTimeoutMs, allowPrivateHooks } = dependencies.config;
    return {
      isSigned: webhookKey !== undefined,
      timeoutMs: functionTimeoutMs,
      allowsPrivate: allowPrivateHooks,
      deliveries: DELIVERY_POLICY,
    };
  }

  async function revealHookKey() {
    const { webhookKey } = dependencies.config;
    if (webhookKey === undefined)
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "PURSE_WEBHOOK_KEY is not set.");
    return { webhookKey };
  }

  async function testHook(request: CodeRequests["testHook"]) {
    const { functionName, className = "", triggerName = "", url } = request.params;
    const hook: JsonObject =
      functionName === undefined ? { className, triggerName, url } : { functionName, url };
    request.setAuditDetails({ after: hook });
    return dependencies.hookCalls.test(webhooks.parse(hook));
  }

  async function addHook(request: CodeRequests["addHook"]) {
    const { functionName, className = "", triggerName = "", url = "" } = request.params;
    const hook: JsonObject =
      functionName === undefined ? { className, triggerName, url } : { functionName, url };
    request.setAuditDetails({ after: hook });
    return webhooks.create(hook);
  }

  async function changeHook(request: CodeRequests["changeFunctionHook" | "changeTriggerHook"]) {
    const change = { url: request.params.url };
    request.setAuditDetails({ before: webhooks.get(request.pathParams), after: change });
    return webhooks.update(request.pathParams, change);
  }

  async function removeHook(request: CodeRequests["removeFunctionHook" | "removeTriggerHook"]) {
    request.setAuditDetails({ before: webhooks.get(request.pathParams), after: {} });
    await webhooks.remove(request.pathParams);
    return {};
  }

  /** Lists webhook deliveries of chain events, which are kept for a week after they succeeded. */
  async function deliveries(request: CodeRequests["deliveries"]) {
    const { status } = request.params;
    return listNewest(dependencies, request, "_ChainMessage", status === undefined ? {} : { status });
  }

  /** Retries a failed delivery, or repeats a successful one. */
  async function redeliver(request: CodeRequests["redeliver"]) {
    const { objectId } = request.pathParams;
    await objects.update(request.context, "_ChainMessage", objectId, { status: "waiting" });
    return {};
  }
}
