import { isJsonObject, type JsonObject, parseOperation } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import type { Change } from "../objects/change.ts";
import type { Draft } from "../objects/draft.ts";
import type { Triggers } from "../objects/triggers.ts";
import type { Cause, ObjectTriggerName, Outcome, Task } from "./messages.ts";

export interface TriggerOptions {
  /** Whether something is registered, as `beforeSave.Note`. */
  has(trigger: string): boolean;
  causeOf(request: RequestContext): Promise<Cause>;
  /** Runs a task of cloud code or of a web hook within its time. Rejects with ProtocolError. */
  run(name: string, task: Task): Promise<Outcome>;
}

/** What runs when people sign in and out. */
export interface PeopleTriggers {
  /** Each answers undefined where nothing is registered. A before trigger that throws refuses. */
  of(
    trigger: "beforeLogin" | "afterLogin" | "afterLogout" | "beforePasswordResetRequest",
  ): ((object: JsonObject, request: RequestContext) => Promise<void>) | undefined;
}

/** The triggers of the cloud code, as the pipeline calls them. */
export function createTriggers(parts: TriggerOptions): Triggers & { people: PeopleTriggers } {
  const { has, causeOf, run } = parts;
  return {
    beforeSave: (className) =>
      has(`beforeSave.${className}`) ? (draft, request) => beforeSave(draft, request) : undefined,
    afterSave: (className) =>
      has(`afterSave.${className}`) ? (change) => afterChange("afterSave", change) : undefined,
    beforeDelete: (className) =>
      has(`beforeDelete.${className}`)
        ? (object, request) => ofObject("beforeDelete", className, object, undefined, true, request)
        : undefined,
    afterDelete: (className) =>
      has(`afterDelete.${className}`) ? (change) => afterChange("afterDelete", change) : undefined,
    beforeFind: (className) =>
      has(`beforeFind.${className}`)
        ? async (params, request, isGet) => {
            const cause = await causeOf(request);
            const task: Task = { kind: "beforeFind", className, params, isGet, cause };
            const { value, objects, context } = await run(`beforeFind of ${className}`, task);
            Object.assign(request.context, context);
            return { params: isJsonObject(value) ? value : params, objects };
          }
        : undefined,
    afterFind: (className) =>
      has(`afterFind.${className}`)
        ? async (objects, params, request, isGet) => {
            const cause = await causeOf(request);
            const task: Task = { kind: "afterFind", className, objects, params, isGet, cause };
            const { value } = await run(`afterFind of ${className}`, task);
            return Array.isArray(value) ? value.filter(isJsonObject) : objects;
          }
        : undefined,
    people: {
      of(trigger) {
        const className = trigger === "afterLogout" ? "_Session" : "_User";
        if (!has(`${trigger}.${className}`)) return undefined;
        return (object, request) => ofObject(trigger, className, object, undefined, true, request);
      },
    },
  };

  async function beforeSave(draft: Draft, request: RequestContext): Promise<void> {
    const { className, operations, original } = draft;
    const cause = await causeOf(request);
    const task: Task = { kind: "beforeSave", className, operations, original, cause };
    const { changes, context } = await run(`beforeSave of ${className}`, task);
    Object.assign(request.context, context);
    for (const key of changes?.dropped ?? []) delete operations[key];
    for (const [key, value] of Object.entries(changes?.set ?? {})) operations[key] = parseOperation(value);
  }

  async function afterChange(trigger: "afterSave" | "afterDelete", change: Change): Promise<void> {
    const { className, request } = change;
    const before = change.before === null ? undefined : parse(change.before);
    const after = change.after === null ? undefined : parse(change.after);
    const object = after ?? before ?? {};
    const original = before && after && before;
    await ofObject(trigger, className, object, original, before !== undefined, request);
  }

  async function ofObject(
    trigger: Exclude<ObjectTriggerName, "beforeSave">,
    className: string,
    object: JsonObject,
    original: JsonObject | undefined,
    existed: boolean,
    request: RequestContext,
  ): Promise<void> {
    const cause = await causeOf(request);
    const task: Task = { kind: "object", trigger, className, object, original, existed, cause };
    const { context } = await run(`${trigger} of ${className}`, task);
    Object.assign(request.context, context);
  }
}

function parse(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}
