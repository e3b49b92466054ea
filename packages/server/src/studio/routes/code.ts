import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  ProtocolError,
  type StudioFunctionRun,
} from "@purse/protocol";
import type { AuthContext } from "../../authContext.ts";
import type { Cloud } from "../../cloud/index.ts";
import { type LogBuffer, type LogFilter, matchesFilter } from "../../observe/logBuffer.ts";
import type { AdminServices } from "../../operator/adminServices.ts";
import { eventStream } from "../eventStream.ts";
import { invalid, objectIn, optionalObjectIn, optionalTextIn, textIn, wholeIn } from "../parameters.ts";
import { json, type StudioRequest, type StudioRoute } from "../route.ts";
import { ask, newest, type PipelineParts, segment } from "./pipeline.ts";

export interface CodeParts extends PipelineParts {
  cloud: Pick<Cloud, "functionNames" | "definitions">;
  /** Where plugins were loaded from, in their order. */
  pluginFiles: readonly string[];
  recentLog: LogBuffer;
  hookCalls: AdminServices["webhookCalls"];
}

/** What of a schedule an operator sets. */
const SCHEDULE = [
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

/** Functions, jobs and their schedules, hooks with their deliveries, and the log that all of them write. */
export function codeRoutes(parts: CodeParts): StudioRoute[] {
  const { cloud, recentLog, objects } = parts;
  return [
    { method: "GET", path: "/functions", needs: "readOnly", handle: functions },
    { method: "POST", path: "/functions/:name", needs: "editor", handle: runFunction },
    { method: "GET", path: "/jobs", needs: "readOnly", handle: jobs },
    { method: "GET", path: "/jobs/history", needs: "readOnly", handle: jobHistory },
    { method: "POST", path: "/jobs/:name/run", needs: "editor", handle: runJob },
    { method: "POST", path: "/schedules", needs: "editor", handle: addSchedule },
    { method: "PUT", path: "/schedules/:objectId", needs: "editor", handle: changeSchedule },
    { method: "DELETE", path: "/schedules/:objectId", needs: "editor", handle: removeSchedule },
    { method: "GET", path: "/hooks", needs: "readOnly", handle: hooks },
    { method: "POST", path: "/hooks", needs: "editor", handle: addHook },
    {
      method: "PUT",
      path: "/hooks/functions/:functionName",
      needs: "editor",
      handle: (r) => changeHook(r, "PUT"),
    },
    {
      method: "DELETE",
      path: "/hooks/functions/:functionName",
      needs: "editor",
      handle: (r) => changeHook(r, "DELETE"),
    },
    {
      method: "PUT",
      path: "/hooks/triggers/:className/:triggerName",
      needs: "editor",
      handle: (r) => changeHook(r, "PUT"),
    },
    {
      method: "DELETE",
      path: "/hooks/triggers/:className/:triggerName",
      needs: "editor",
      handle: (r) => changeHook(r, "DELETE"),
    },
    { method: "GET", path: "/deliveries", needs: "readOnly", handle: deliveries },
    { method: "POST", path: "/deliveries/:objectId/send", needs: "editor", handle: sendAgain },
    { method: "GET", path: "/hook-calls", needs: "readOnly", handle: hookCalls },
    { method: "POST", path: "/hook-calls/:id/replay", needs: "editor", handle: replayCall },
    { method: "GET", path: "/logs", needs: "readOnly", handle: logs },
    { method: "GET", path: "/logs/tail", needs: "readOnly", handle: tail },
  ];

  async function functions(request: StudioRequest) {
    const { functions: defined, triggers, plugins, rateLimits } = cloud.definitions();
    const { value: hooked } = await ask(parts, request, "GET", "/hooks/functions");
    const remote = Array.isArray(hooked) ? hooked.filter(isJsonObject) : [];
    const names = [...cloud.functionNames(), ...remote.map(({ functionName }) => String(functionName))];
    return json({
      functions: [...new Set(names)].sort(),
      defined,
      triggers,
      // Plugins are loaded in the order of their files.
      plugins: plugins.map((plugin, at) => ({ ...plugin, file: parts.pluginFiles[at] ?? "" })),
      rateLimited: rateLimits.length,
    });
  }

  /** Runs a function as the operator, or as a user; what it throws is its answer, not an error of the studio. */
  async function runFunction(request: StudioRequest) {
    const { context, names, params } = request;
    const as = optionalTextIn(params, "as");
    const given = optionalObjectIn(params, "params") ?? {};
    const auth: AuthContext = as === undefined ? context.auth : await parts.asUser(as);
    request.note({ after: { params: given, ...(as !== undefined && { as }) } });
    const started = performance.now();
    const { ip, requestId, serverUrl } = context;
    const path = `/functions/${segment(names.name ?? "")}`;
    const { status, body } = await parts.runAs({
      method: "POST",
      path,
      params: given,
      auth,
      ip,
      requestId,
      serverUrl,
    });
    const answer: JsonObject = JSON.parse(body);
    const run: StudioFunctionRun = {
      ...(status < 400
        ? { result: answer.result ?? null }
        : { error: { code: Number(answer.code ?? 1), error: String(answer.error) } }),
      ms: Math.round(performance.now() - started),
      requestId,
      logs: recentLog.lines({ requestId }),
    };
    return json(run);
  }

  async function jobs(request: StudioRequest) {
    const { jobs: names, schedules } = cloud.definitions();
    const stored = await newest(parts, request, "_JobSchedule", {});
    return json({ jobs: names, defined: schedules, schedules: stored.results });
  }

  async function jobHistory(request: StudioRequest) {
    const jobName = optionalTextIn(request.params, "jobName");
    return json(await newest(parts, request, "_JobStatus", jobName === undefined ? {} : { jobName }));
  }

  async function runJob(request: StudioRequest) {
    const { names, params } = request;
    const given = optionalObjectIn(params, "params") ?? {};
    request.note({ after: given });
    const { headers } = await ask(parts, request, "POST", `/jobs/${segment(names.name ?? "")}`, given);
    return json({ jobStatusId: headers["X-Parse-Job-Status-Id"] ?? "" }, 201);
  }

  async function addSchedule(request: StudioRequest) {
    const fields = scheduleIn(request);
    assertJob(fields.jobName);
    request.note({ after: fields });
    const { body } = await objects.create(request.context, "_JobSchedule", fields);
    return json(body, 201);
  }

  async function changeSchedule(request: StudioRequest) {
    const fields = scheduleIn(request);
    if (fields.jobName !== undefined) assertJob(fields.jobName);
    const { objectId = "" } = request.names;
    request.note({
      before: JSON.parse(await objects.get(request.context, "_JobSchedule", objectId, {})),
      after: fields,
    });
    const { body } = await objects.update(request.context, "_JobSchedule", objectId, fields);
    return json(body);
  }

  async function removeSchedule(request: StudioRequest) {
    const { objectId = "" } = request.names;
    request.note({ before: JSON.parse(await objects.get(request.context, "_JobSchedule", objectId, {})) });
    await objects.remove(request.context, "_JobSchedule", objectId);
    return {};
  }

  function scheduleIn({ params }: StudioRequest): JsonObject {
    const given = objectIn(params, "fields");
    return Object.fromEntries(Object.entries(given).filter(([name]) => SCHEDULE.includes(name)));
  }

  function assertJob(name: unknown): void {
    if (typeof name === "string" && cloud.definitions().jobs.includes(name)) return;
    throw new ProtocolError(ErrorCode.VALIDATION_ERROR, "jobName must be a job of the cloud code.");
  }

  async function hooks(request: StudioRequest) {
    const [functionHooks, triggerHooks] = await Promise.all([
      ask(parts, request, "GET", "/hooks/functions"),
      ask(parts, request, "GET", "/hooks/triggers"),
    ]);
    return json({ functions: functionHooks.value, triggers: triggerHooks.value });
  }

  async function addHook(request: StudioRequest) {
    const { functionName, className, triggerName, url } = request.params;
    const isFunction = functionName !== undefined;
    const hook: JsonObject = isFunction
      ? { functionName, url: url ?? "" }
      : { className: className ?? "", triggerName: triggerName ?? "", url: url ?? "" };
    request.note({ after: hook });
    const { value } = await ask(
      parts,
      request,
      "POST",
      isFunction ? "/hooks/functions" : "/hooks/triggers",
      hook,
    );
    return json(value, 201);
  }

  async function changeHook(request: StudioRequest, method: "PUT" | "DELETE") {
    const { functionName, className = "", triggerName = "" } = request.names;
    const path =
      functionName === undefined
        ? `/hooks/triggers/${segment(className)}/${segment(triggerName)}`
        : `/hooks/functions/${segment(functionName)}`;
    const { value: before } = await ask(parts, request, "GET", path);
    const change: JsonObject = method === "PUT" ? { url: textIn(request.params, "url") } : {};
    request.note({ before, after: change });
    const { value } = await ask(parts, request, method, path, change);
    return value;
  }

  /** What web hooks were told of events of chains: kept for a week after they arrived. */
  async function deliveries(request: StudioRequest) {
    const status = optionalTextIn(request.params, "status");
    return json(await newest(parts, request, "_ChainMessage", status === undefined ? {} : { status }));
  }

  /** Tries a delivery that was given up, or sends one that arrived once more. */
  async function sendAgain(request: StudioRequest) {
    const { objectId = "" } = request.names;
    await objects.update(request.context, "_ChainMessage", objectId, { status: "waiting" });
    return {};
  }

  /** What servers of functions and triggers were asked by this process. */
  async function hookCalls({ params }: StudioRequest) {
    const outcome = optionalTextIn(params, "outcome");
    if (outcome !== undefined && outcome !== "answered" && outcome !== "failed") {
      throw invalid("outcome must be answered or failed");
    }
    const limit = Math.max(1, wholeIn(params, "limit", 50, 500));
    return json(parts.hookCalls.list({ outcome, after: optionalTextIn(params, "after"), limit }));
  }

  async function replayCall({ names }: StudioRequest) {
    return json(await parts.hookCalls.replay(names.id ?? ""));
  }

  async function logs({ params }: StudioRequest) {
    const lines = recentLog.lines(filterIn(params));
    return json({ results: lines.slice(-wholeIn(params, "limit", 500, 2_000)) });
  }

  async function tail(request: StudioRequest) {
    const filter = filterIn(request.params);
    return eventStream(request, (tell) => {
      for (const line of recentLog.lines(filter).slice(-100)) tell("line", line);
      return recentLog.onLine((line) => {
        if (matchesFilter(line, filter)) tell("line", line);
      });
    });
  }
}

function filterIn(params: JsonObject): LogFilter {
  const after = wholeIn(params, "after", 0, Number.MAX_SAFE_INTEGER);
  return {
    level: optionalTextIn(params, "level"),
    text: optionalTextIn(params, "text"),
    requestId: optionalTextIn(params, "requestId"),
    after: after === 0 ? undefined : after,
  };
}
