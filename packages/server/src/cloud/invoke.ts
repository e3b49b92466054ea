import { Config, ParseFile, ParseObject, Query, User } from "@purse/client";
import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import type { FormFile, FunctionCall } from "../core/functionCall.ts";
import type { Logger } from "../core/logger.ts";
import { callFunction } from "./callFunction.ts";
import type { CloudRequest, FileTriggerRequest, FunctionRequest } from "./cloudRequests.ts";
import { decodeDatesAndFiles, decodeParams, encodeResult } from "./encodeValues.ts";
import { fileInfoOf, toParseFile } from "./fileInfo.ts";
import {
  applyOperations,
  changesOf,
  encodedFields,
  fullValues,
  pendingChanges,
  toParseObject,
} from "./parseObjects.ts";
import { queryParams, withoutQueryParams } from "./queryParams.ts";
import type { Registry } from "./registry.ts";
import { validate } from "./validator.ts";
import type { CallContext, HostRequest, Invocation, InvocationResult } from "./workerMessages.ts";

export interface InvokeDependencies {
  registry: Registry;
  logger: Logger;
  callHost(hostRequest: HostRequest): Promise<unknown>;
  /** Whether functions and jobs get pointers as objects of the SDK. */
  decodesPointers: boolean;
  /** Whether objects that an afterSave trigger sets are sent to the client as a whole, as in Parse Server. */
  sendsSetObjects: boolean;
}

/** Executes what the cloud code has registered for an invocation. Throws what the code throws. */
export async function invoke(
  dependencies: InvokeDependencies,
  invocation: Invocation,
): Promise<InvocationResult> {
  const { registry } = dependencies;
  const { callContext } = invocation;
  const request = cloudRequestOf(callContext, dependencies.logger);
  const decode = dependencies.decodesPointers ? decodeParams : decodeDatesAndFiles;
  switch (invocation.kind) {
    case "function": {
      const registration = registry.functions.get(invocation.name);
      if (!registration)
        throw new ProtocolError(ErrorCode.SCRIPT_FAILED, `Invalid function: "${invocation.name}"`);
      const params = { ...decode(invocation.params), ...filesOf(invocation.formFiles) };
      const triggerRequest: FunctionRequest = { ...request, params, functionName: invocation.name };
      await validate(registration.validator, triggerRequest, callContext.roles);
      return callFunction(registration.run, triggerRequest);
    }
    case "job": {
      const job = registry.jobs.get(invocation.name);
      if (!job) throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "Invalid job.");
      const { jobId } = invocation;
      const message = async (text: string) => {
        await dependencies.callHost({ kind: "jobMessage", jobId, message: String(text) });
      };
      const result = await job({
        ...request,
        params: decode(invocation.params),
        jobName: invocation.name,
        jobId,
        message,
      });
      return typeof result === "string" ? { value: result } : {};
    }
    case "beforeSave": {
      const trigger = registry.objectTriggers.get(`beforeSave.${invocation.className}`);
      if (!trigger) return {};
      const original = invocation.original && toParseObject(invocation.className, invocation.original);
      const { customId } = invocation;
      const chosen: JsonObject = customId === undefined ? {} : { objectId: customId };
      const object = toParseObject(
        invocation.className,
        invocation.original ?? chosen,
        original !== undefined,
      );
      applyOperations(object, invocation.operations);
      const before = pendingChanges(object);
      const triggerRequest = { ...request, triggerName: "beforeSave" as const, object, original };
      if (await validate(trigger.validator, triggerRequest, callContext.roles))
        await trigger.run(triggerRequest);
      return {
        changes: changesOf(before, pendingChanges(object)),
        context: toPlainObject(triggerRequest.context),
      };
    }
    case "object": {
      const trigger = registry.objectTriggers.get(`${invocation.trigger}.${invocation.className}`);
      if (!trigger) return {};
      const object = toParseObject(invocation.className, invocation.object, invocation.existed);
      const original = invocation.original && toParseObject(invocation.className, invocation.original);
      const triggerRequest = { ...request, triggerName: invocation.trigger, object, original };
      const before = invocation.trigger === "afterSave" ? encodedFields(object) : {};
      const returned = (await validate(trigger.validator, triggerRequest, callContext.roles))
        ? await trigger.run(triggerRequest)
        : undefined;
      const context = toPlainObject(triggerRequest.context);
      if (invocation.trigger !== "afterSave") return { context };
      const changes = changesOf(before, encodedFields(object));
      if (dependencies.sendsSetObjects)
        Object.assign(changes.set, fullValues(object, Object.keys(changes.set)));
      return { context, changes, value: plainReply(returned) };
    }
    case "beforeFind": {
      const trigger = registry.beforeFind.get(invocation.className);
      if (!trigger) return { value: invocation.params };
      const parsedQuery = queryParams(invocation.params);
      const query = Query.fromJSON(invocation.className, parsedQuery);
      const count = parsedQuery.count === 1;
      const { isGet } = invocation;
      const triggerRequest = { ...request, triggerName: "beforeFind" as const, query, count, isGet };
      if (!(await validate(trigger.validator, triggerRequest, callContext.roles)))
        return { value: invocation.params };
      const returned = await trigger.run(triggerRequest);
      const objects = returned instanceof ParseObject ? [returned] : returned;
      if (Array.isArray(objects) && objects.every((each) => each instanceof ParseObject)) {
        const results = objects.map((object) => object.toJSON());
        return { value: invocation.params, objects: results, context: toPlainObject(triggerRequest.context) };
      }
      const context = toPlainObject(triggerRequest.context);
      // Another query replaces only what it sets: the limit, the order or the count of the client stay.
      if (returned instanceof Query && !Object.is(returned, query))
        return { value: { ...invocation.params, ...returned.toJSON() }, context };
      if (isJsonObject(returned)) return { value: { ...invocation.params, ...returned }, context };
      const changed = triggerRequest.query.toJSON();
      return { value: { ...withoutQueryParams(invocation.params), ...changed }, context };
    }
    case "afterFind": {
      const trigger = registry.afterFind.get(invocation.className);
      if (!trigger) return { value: invocation.objects };
      const objects = invocation.objects.map((object) => toParseObject(invocation.className, object));
      const query = Query.fromJSON(invocation.className, queryParams(invocation.params));
      const { isGet } = invocation;
      const triggerRequest = { ...request, triggerName: "afterFind" as const, objects, query, isGet };
      if (!(await validate(trigger.validator, triggerRequest, callContext.roles)))
        return { value: invocation.objects };
      const returned = await trigger.run(triggerRequest);
      const results: unknown[] = Array.isArray(returned) ? returned : triggerRequest.objects;
      return { value: results.flatMap(encodeFound) };
    }
    case "file": {
      const trigger = registry.files.get(invocation.trigger);
      if (!trigger) return {};
      const { fileSize } = invocation.file;
      const file = toParseFile(invocation.file);
      const triggerRequest: FileTriggerRequest = {
        ...request,
        triggerName: trigger.triggerName,
        file,
        fileSize,
        contentLength: fileSize,
        forceDownload: false,
      };
      if (!(await validate(trigger.validator, triggerRequest, callContext.roles))) return {};
      const returned = await trigger.run(triggerRequest);
      const resultFile = answeredFile(returned) ?? triggerRequest.file;
      const { forceDownload } = triggerRequest;
      return { value: { ...(await fileInfoOf(resultFile, file)), ...(forceDownload && { forceDownload }) } };
    }
    case "config": {
      const trigger = registry.config.get(invocation.trigger);
      if (!trigger) return {};
      const params = decodeParams(invocation.params);
      const object = new Config(params);
      const original = invocation.original && new Config(decodeParams(invocation.original));
      const triggerRequest = { ...request, triggerName: invocation.trigger, object, original };
      const shouldRun = await validate(trigger.validator, { ...request, params }, callContext.roles);
      if (shouldRun) await trigger.run(triggerRequest);
      return { context: toPlainObject(triggerRequest.context) };
    }
    case "consume": {
      const trigger = registry.beforeConsume.get(invocation.className);
      return { value: trigger ? Boolean(await trigger(invocation.event)) : true };
    }
    case "liveConnection": {
      const { clientId, ...event } = invocation.event;
      for (const handler of registry.onLiveQueryEvent) await handler({ ...event, client: { id: clientId } });
      return {};
    }
    case "connect": {
      const trigger = registry.beforeConnect;
      if (!trigger) return {};
      const { clientId, clients, subscriptions, sessionToken } = invocation;
      const triggerRequest = {
        ...request,
        event: "connect" as const,
        client: { id: clientId },
        clients,
        subscriptions,
        sessionToken,
        useMasterKey: invocation.useMasterKey,
      };
      if (await validate(trigger.validator, triggerRequest, callContext.roles))
        await trigger.run(triggerRequest);
      return {};
    }
    case "subscribe": {
      const trigger = registry.beforeSubscribe.get(invocation.className);
      if (!trigger) return { value: invocation.params };
      const query = Query.fromJSON(invocation.className, queryParams(invocation.params));
      const triggerRequest = {
        ...request,
        event: "subscribe" as const,
        op: "subscribe" as const,
        requestId: invocation.requestId,
        query,
        sessionToken: sessionTokenOf(callContext),
      };
      if (!(await validate(trigger.validator, triggerRequest, callContext.roles)))
        return { value: invocation.params };
      await trigger.run(triggerRequest);
      return { value: { ...withoutQueryParams(invocation.params), ...triggerRequest.query.toJSON() } };
    }
    case "liveEvent": {
      const trigger = registry.afterLiveQueryEvent.get(invocation.className);
      if (!trigger) return {};
      const { event, clients, subscriptions, ...change } = invocation.event;
      const object: ParseObject | undefined = toParseObject(change.className, change.object);
      const original = change.original && toParseObject(change.className, change.original);
      const triggerRequest = { ...request, event, clients, subscriptions, object, original, sendEvent: true };
      if (!(await validate(trigger.validator, triggerRequest, callContext.roles))) return {};
      await trigger.run(triggerRequest);
      if (!triggerRequest.sendEvent) return { value: null };
      const encode = (each: ParseObject): JsonObject => ({ ...each.toJSON(), className: each.className });
      const value: JsonObject = { object: encode(triggerRequest.object) };
      if (triggerRequest.original) value.original = encode(triggerRequest.original);
      return { value };
    }
  }
}

/** Objects are encoded as a whole; other data is sent as it is. */
function encodeFound(found: unknown): JsonObject[] {
  if (found instanceof ParseObject) return [found.toJSON()];
  const value = encodeResult(found);
  return isJsonObject(value) ? [value] : [];
}

function cloudRequestOf(callContext: CallContext, logger: Logger): CloudRequest {
  const { user, roles: _roles, client: _client, requestId, ...rest } = callContext;
  const parsedUser = user && User.fromJSON({ ...JSON.parse(user), className: "_User" });
  return {
    ...rest,
    user: parsedUser instanceof User ? parsedUser : undefined,
    log: logger.with({ requestId }),
  };
}

/** The files of a form as parameters, in the shape of Parse Server. */
function filesOf(formFiles: FunctionCall["formFiles"] = {}): Record<string, FormFile> {
  const files = Object.entries(formFiles).map(([name, file]) => [
    name,
    { ...file, data: Buffer.from(file.data) },
  ]);
  return Object.fromEntries(files);
}

/** Returns the file that a trigger returned, directly or as `{ file }`. */
function answeredFile(returned: unknown): ParseFile | undefined {
  if (returned instanceof ParseFile) return returned;
  const hasFile = typeof returned === "object" && returned !== null && "file" in returned;
  return hasFile && returned.file instanceof ParseFile ? returned.file : undefined;
}

function sessionTokenOf({ user }: CallContext): string | undefined {
  if (user === undefined) return undefined;
  const { sessionToken }: JsonObject = JSON.parse(user);
  return typeof sessionToken === "string" ? sessionToken : undefined;
}

/** What an afterSave trigger returned, if it is a plain object that can be sent. */
function plainReply(returned: unknown): JsonObject | undefined {
  if (!isJsonObject(returned) || Object.getPrototypeOf(returned) !== Object.prototype) return undefined;
  try {
    return toPlainObject(returned);
  } catch {
    // It refers to itself, as the response of an HTTP library may.
    return undefined;
  }
}

/** Reduces a context to JSON data. */
function toPlainObject(context: JsonObject): JsonObject {
  const value: unknown = JSON.parse(JSON.stringify(context ?? {}));
  return isJsonObject(value) ? value : {};
}
