import { Config, ParseFile, ParseObject, Query, User } from "@purse/client";
import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import type { Log } from "../observe/log.ts";
import { answerFunction } from "./answerFunction.ts";
import { factsOf, fileOf } from "./fileFacts.ts";
import { applyOperations, changesOf, objectOf, pendingOf } from "./inflate.ts";
import type { Ask, Cause, Outcome, Task } from "./messages.ts";
import { queryParams, withoutQueryParams } from "./queryParams.ts";
import type { CloudRequest, FileTriggerRequest, FunctionRequest, Registry } from "./registry.ts";
import { validate } from "./validator.ts";
import { decodeParams } from "./wire.ts";

export interface RunParts {
  registry: Registry;
  log: Log;
  ask(ask: Ask): Promise<unknown>;
}

/** Runs what the cloud code has registered for a task. Throws what the code throws. */
export async function runTask(parts: RunParts, task: Task): Promise<Outcome> {
  const { registry } = parts;
  const { cause } = task;
  const request = requestOf(cause, parts.log);
  switch (task.kind) {
    case "function": {
      const defined = registry.functions.get(task.name);
      if (!defined) throw new ProtocolError(ErrorCode.SCRIPT_FAILED, `Invalid function: "${task.name}"`);
      const params = decodeParams(task.params);
      const asked: FunctionRequest = { ...request, params, functionName: task.name };
      const isWanted = await validate(defined.validator, asked, cause.roles);
      return isWanted ? answerFunction(defined.run, asked) : {};
    }
    case "job": {
      const job = registry.jobs.get(task.name);
      if (!job) throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "Invalid job.");
      const { jobId } = task;
      const message = async (text: string) => {
        await parts.ask({ what: "jobMessage", jobId, message: String(text) });
      };
      const result = await job({
        ...request,
        params: decodeParams(task.params),
        jobName: task.name,
        jobId,
        message,
      });
      return typeof result === "string" ? { value: result } : {};
    }
    case "beforeSave": {
      const trigger = registry.objectTriggers.get(`beforeSave.${task.className}`);
      if (!trigger) return {};
      const original = task.original && objectOf(task.className, task.original);
      const object = objectOf(task.className, task.original ?? {});
      applyOperations(object, task.operations);
      const before = pendingOf(object);
      const asked = { ...request, triggerName: "beforeSave" as const, object, original };
      if (await validate(trigger.validator, asked, cause.roles)) await trigger.run(asked);
      return { changes: changesOf(before, pendingOf(object)), context: plain(asked.context) };
    }
    case "object": {
      const trigger = registry.objectTriggers.get(`${task.trigger}.${task.className}`);
      if (!trigger) return {};
      const object = objectOf(task.className, task.object, task.existed);
      const original = task.original && objectOf(task.className, task.original);
      const asked = { ...request, triggerName: task.trigger, object, original };
      if (await validate(trigger.validator, asked, cause.roles)) await trigger.run(asked);
      return { context: plain(asked.context) };
    }
    case "beforeFind": {
      const trigger = registry.beforeFind.get(task.className);
      if (!trigger) return { value: task.params };
      const typed = queryParams(task.params);
      const query = Query.fromJSON(task.className, typed);
      const count = typed.count === 1;
      const { isGet } = task;
      const asked = { ...request, triggerName: "beforeFind" as const, query, count, isGet };
      if (!(await validate(trigger.validator, asked, cause.roles))) return { value: task.params };
      const answer = await trigger.run(asked);
      const objects = answer instanceof ParseObject ? [answer] : answer;
      if (Array.isArray(objects) && objects.every((each) => each instanceof ParseObject)) {
        const told = objects.map((object) => object.toJSON());
        return { value: task.params, objects: told, context: plain(asked.context) };
      }
      const wanted =
        answer instanceof Query ? answer.toJSON() : isJsonObject(answer) ? answer : asked.query.toJSON();
      return { value: { ...withoutQueryParams(task.params), ...wanted }, context: plain(asked.context) };
    }
    case "afterFind": {
      const trigger = registry.afterFind.get(task.className);
      if (!trigger) return { value: task.objects };
      const objects = task.objects.map((object) => objectOf(task.className, object));
      const query = Query.fromJSON(task.className, queryParams(task.params));
      const { isGet } = task;
      const asked = { ...request, triggerName: "afterFind" as const, objects, query, isGet };
      if (!(await validate(trigger.validator, asked, cause.roles))) return { value: task.objects };
      const answer = await trigger.run(asked);
      const told: unknown[] = Array.isArray(answer) ? answer : asked.objects;
      return { value: told.flatMap((object) => (object instanceof ParseObject ? [object.toJSON()] : [])) };
    }
    case "file": {
      const trigger = registry.files.get(task.trigger);
      if (!trigger) return {};
      const { fileSize } = task.file;
      const file = fileOf(task.file);
      const triggerRequest: FileTriggerRequest = {
        ...request,
        triggerName: trigger.triggerName,
        file,
        fileSize,
        contentLength: fileSize,
        forceDownload: false,
      };
      if (!(await validate(trigger.validator, triggerRequest, cause.roles))) return {};
      const answer = await trigger.run(triggerRequest);
      const chosen = fileIn(answer) ?? triggerRequest.file;
      const { forceDownload } = triggerRequest;
      return { value: { ...(await factsOf(chosen, file)), ...(forceDownload && { forceDownload }) } };
    }
    case "config": {
      const trigger = registry.config.get(task.trigger);
      if (!trigger) return {};
      const params = decodeParams(task.params);
      const object = new Config(params);
      const original = task.original && new Config(decodeParams(task.original));
      const triggerRequest = { ...request, triggerName: task.trigger, object, original };
      const isWanted = await validate(trigger.validator, { ...request, params }, cause.roles);
      if (isWanted) await trigger.run(triggerRequest);
      return { context: plain(triggerRequest.context) };
    }
    case "liveConnection": {
      const { clientId, ...facts } = task.facts;
      for (const handler of registry.onLiveQueryEvent) await handler({ ...facts, client: { id: clientId } });
      return {};
    }
    case "connect": {
      const trigger = registry.beforeConnect;
      if (!trigger) return {};
      const { clients, subscriptions, sessionToken } = task;
      const asked = { ...request, event: "connect" as const, clients, subscriptions, sessionToken };
      if (await validate(trigger.validator, asked, cause.roles)) await trigger.run(asked);
      return {};
    }
    case "subscribe": {
      const trigger = registry.beforeSubscribe.get(task.className);
      if (!trigger) return { value: task.params };
      const query = Query.fromJSON(task.className, queryParams(task.params));
      const asked = { ...request, event: "subscribe" as const, query, sessionToken: tokenOf(cause) };
      if (!(await validate(trigger.validator, asked, cause.roles))) return { value: task.params };
      await trigger.run(asked);
      return { value: { ...withoutQueryParams(task.params), ...asked.query.toJSON() } };
    }
    case "liveEvent": {
      const trigger = registry.afterLiveQueryEvent.get(task.className);
      if (!trigger) return {};
      const { event, clients, subscriptions, ...facts } = task.facts;
      const object: ParseObject | undefined = objectOf(facts.className, facts.object);
      const original = facts.original && objectOf(facts.className, facts.original);
      const asked = { ...request, event, clients, subscriptions, object, original, sendEvent: true };
      if (!(await validate(trigger.validator, asked, cause.roles))) return {};
      await trigger.run(asked);
      if (!asked.sendEvent) return { value: null };
      const value: JsonObject = { object: asked.object.toJSON() };
      if (asked.original) value.original = asked.original.toJSON();
      return { value };
    }
  }
}

function requestOf(cause: Cause, log: Log): CloudRequest {
  const { user, roles: _, requestId, ...rest } = cause;
  const known = user && User.fromJSON({ ...user, className: "_User" });
  return { ...rest, user: known instanceof User ? known : undefined, log: log.with({ requestId }) };
}

/** The file that a trigger answers: itself, or as `{ file }`. */
function fileIn(answer: unknown): ParseFile | undefined {
  if (answer instanceof ParseFile) return answer;
  const isHolder = typeof answer === "object" && answer !== null && "file" in answer;
  return isHolder && answer.file instanceof ParseFile ? answer.file : undefined;
}

function tokenOf({ user }: Cause): string | undefined {
  return typeof user?.sessionToken === "string" ? user.sessionToken : undefined;
}

/** A context as it travels: what is no plain data stays behind. */
function plain(context: JsonObject): JsonObject {
  const value: unknown = JSON.parse(JSON.stringify(context ?? {}));
  return isJsonObject(value) ? value : {};
}
