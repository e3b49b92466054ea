import { isJsonObject, type JsonObject, parseOperation } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import type { Change } from "../data/objects/change.ts";
import type { PendingWrite } from "../data/objects/pendingWrite.ts";
import type { AuthTriggers, Triggers } from "../data/objects/triggers.ts";
import type { CallContext, Invocation, InvocationResult, ObjectTriggerName } from "./workerMessages.ts";

export interface TriggerOptions {
  /** Whether a handler is registered, such as `beforeSave.Note`. */
  hasHandler(trigger: string): boolean;
  callContextOf(request: RequestContext): Promise<CallContext>;
  /** Executes an invocation by cloud code or a webhook within its time limit. Rejects with ProtocolError. */
  run(name: string, invocation: Invocation): Promise<InvocationResult>;
}

/** Creates the triggers that run when objects are read and written. */
export function createTriggers(options: TriggerOptions): Triggers & { auth: AuthTriggers } {
  const { hasHandler, callContextOf, run } = options;
  return {
    beforeSave: (className) =>
      hasHandler(`beforeSave.${className}`)
        ? (pendingWrite, request) => beforeSave(pendingWrite, request)
        : undefined,
    afterSave: (className) =>
      hasHandler(`afterSave.${className}`)
        ? async (change) => {
            const { changes, value } = await afterChange("afterSave", change);
            return { set: {}, unset: [], ...changes, ...(isJsonObject(value) && { reply: value }) };
          }
        : undefined,
    beforeDelete: (className) =>
      hasHandler(`beforeDelete.${className}`)
        ? async (object, request) =>
            void (await runObjectTrigger("beforeDelete", className, object, undefined, true, request))
        : undefined,
    afterDelete: (className) =>
      hasHandler(`afterDelete.${className}`)
        ? async (change) => void (await afterChange("afterDelete", change))
        : undefined,
    beforeFind: (className) =>
      hasHandler(`beforeFind.${className}`)
        ? async (params, request, isGet) => {
            const callContext = await callContextOf(request);
            const invocation: Invocation = { kind: "beforeFind", className, params, isGet, callContext };
            const { value, objects, context } = await run(`beforeFind of ${className}`, invocation);
            Object.assign(request.context, context);
            return { params: isJsonObject(value) ? value : params, objects };
          }
        : undefined,
    afterFind: (className) =>
      hasHandler(`afterFind.${className}`)
        ? async (objects, params, request, isGet) => {
            const callContext = await callContextOf(request);
            const invocation: Invocation = {
              kind: "afterFind",
              className,
              objects,
              params,
              isGet,
              callContext,
            };
            const { value } = await run(`afterFind of ${className}`, invocation);
            return Array.isArray(value) ? value.filter(isJsonObject) : objects;
          }
        : undefined,
    auth: {
      of(trigger) {
        const className = trigger === "afterLogout" ? "_Session" : "_User";
        if (!hasHandler(`${trigger}.${className}`)) return undefined;
        return async (object, request) =>
          void (await runObjectTrigger(trigger, className, object, undefined, true, request));
      },
    },
  };

  async function beforeSave(pendingWrite: PendingWrite, request: RequestContext): Promise<void> {
    const { className, operations, original, customId } = pendingWrite;
    const callContext = await callContextOf(request);
    const invocation: Invocation = {
      kind: "beforeSave",
      className,
      operations,
      customId,
      original,
      callContext,
    };
    const { changes, context } = await run(`beforeSave of ${className}`, invocation);
    Object.assign(request.context, context);
    for (const key of changes?.unset ?? []) delete operations[key];
    for (const [key, value] of Object.entries(changes?.set ?? {}))
      operations[key] = parseOperation(value, key);
  }

  async function afterChange(
    trigger: "afterSave" | "afterDelete",
    change: Change,
  ): Promise<InvocationResult> {
    const { className, request } = change;
    const before = change.before === null ? undefined : parse(change.before);
    const after = change.after === null ? undefined : parse(change.after);
    const object = after ?? before ?? {};
    const original = before && after && before;
    return runObjectTrigger(trigger, className, object, original, before !== undefined, request);
  }

  async function runObjectTrigger(
    trigger: Exclude<ObjectTriggerName, "beforeSave">,
    className: string,
    object: JsonObject,
    original: JsonObject | undefined,
    existed: boolean,
    request: RequestContext,
  ): Promise<InvocationResult> {
    const callContext = await callContextOf(request);
    const invocation: Invocation = {
      kind: "object",
      trigger,
      className,
      object,
      original,
      existed,
      callContext,
    };
    const result = await run(`${trigger} of ${className}`, invocation);
    Object.assign(request.context, result.context);
    return result;
  }
}

function parse(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}
