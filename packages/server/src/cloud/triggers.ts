import { ParseObject, Query } from "@purse/client";
import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  jsonEqual,
  type Operation,
  ProtocolError,
  parseOperation,
} from "@purse/protocol";
import type { RequestContext } from "../caller.ts";
import type { Change } from "../objects/change.ts";
import type { Draft } from "../objects/draft.ts";
import type { Triggers } from "../objects/triggers.ts";
import type { CloudRequest, ObjectTrigger, Registry, TriggerName } from "./registry.ts";

export interface TriggerParts {
  registry: Registry;
  /** What a trigger is told of who caused it. */
  requestFor(request: RequestContext): Promise<CloudRequest>;
  /** Runs cloud code within its time; what it throws comes out as ProtocolError. */
  run<T>(name: string, code: () => T | Promise<T>): Promise<T>;
}

/** The triggers of the cloud code, as the pipeline calls them. */
export function createTriggers({ registry, requestFor, run }: TriggerParts): Triggers {
  return {
    beforeSave: (className) => {
      const trigger = registry.beforeSave.get(className);
      return trigger && ((draft, request) => beforeSave(trigger, draft, request));
    },
    afterSave: (className) => {
      const trigger = registry.afterSave.get(className);
      return trigger && ((change) => afterChange("afterSave", trigger, change));
    },
    beforeDelete: (className) => {
      const trigger = registry.beforeDelete.get(className);
      return (
        trigger &&
        (async (object, request) => {
          await runObjectTrigger("beforeDelete", trigger, request, objectOf(className, object), undefined);
        })
      );
    },
    afterDelete: (className) => {
      const trigger = registry.afterDelete.get(className);
      return trigger && ((change) => afterChange("afterDelete", trigger, change));
    },
    beforeFind: (className) => {
      const trigger = registry.beforeFind.get(className);
      return (
        trigger &&
        (async (params, request) => {
          const query = Query.fromJSON(className, typedParams(params));
          const cloudRequest = { ...(await requestFor(request)), triggerName: "beforeFind" as const, query };
          const answer = await run(`beforeFind of ${className}`, () => trigger(cloudRequest));
          const asked =
            answer instanceof Query ? answer.toJSON() : isJsonObject(answer) ? answer : query.toJSON();
          return { ...withoutQueryParams(params), ...asked };
        })
      );
    },
    afterFind: (className) => {
      const trigger = registry.afterFind.get(className);
      return (
        trigger &&
        (async (objects, request) => {
          const found = objects.map((object) => objectOf(className, object));
          const cloudRequest = {
            ...(await requestFor(request)),
            triggerName: "afterFind" as const,
            objects: found,
          };
          const answer = await run(`afterFind of ${className}`, () => trigger(cloudRequest));
          const told: unknown[] = Array.isArray(answer) ? answer : found;
          return told.flatMap((object) => (object instanceof ParseObject ? [object.toJSON()] : []));
        })
      );
    },
  };

  async function beforeSave(trigger: ObjectTrigger, draft: Draft, request: RequestContext): Promise<void> {
    const original = draft.original && objectOf(draft.className, draft.original);
    const object = objectOf(draft.className, draft.original ?? {});
    applyDraft(object, draft);
    const asked = pendingOf(object);
    await runObjectTrigger("beforeSave", trigger, request, object, original);
    takeChanges(draft.operations, asked, pendingOf(object));
  }

  async function afterChange(
    name: "afterSave" | "afterDelete",
    trigger: ObjectTrigger,
    change: Change,
  ): Promise<void> {
    const before = change.before === null ? undefined : parse(change.before);
    const after = change.after === null ? undefined : parse(change.after);
    const object = objectOf(change.className, after ?? before ?? {}, before !== undefined);
    const original = before && after && objectOf(change.className, before);
    await runObjectTrigger(name, trigger, change.request, object, original);
  }

  async function runObjectTrigger(
    triggerName: TriggerName,
    trigger: ObjectTrigger,
    request: RequestContext,
    object: ParseObject,
    original: ParseObject | undefined,
  ): Promise<void> {
    const cloudRequest = { ...(await requestFor(request)), triggerName, object, original };
    await run(`${triggerName} of ${object.className}`, () => trigger(cloudRequest));
  }
}

function objectOf(className: string, fields: JsonObject, existed = true): ParseObject {
  const object = ParseObject.fromJSON({ className });
  object._finishSave(fields, existed && fields.objectId !== undefined ? 200 : 201);
  return object;
}

function parse(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}

/** What a save of the object would send now. */
function pendingOf(object: ParseObject): JsonObject {
  return object._saveParams().body;
}

/** Lays what a write asks for over the object, as changes that wait to be saved. What only the server sets stays out. */
function applyDraft(object: ParseObject, draft: Draft): void {
  const untouched = new Set(["objectId", "id", "createdAt", "updatedAt", ...object._readOnlyAttributes()]);
  const operations = Object.entries(draft.operations).filter(([key]) => !untouched.has(key));
  const wire: JsonObject = {};
  for (const [key, operation] of operations) wire[key] = wireOf(operation);
  const values = ParseObject.fromJSON({ className: draft.className, ...wire });
  for (const [key, operation] of operations) {
    // A dotted key is not a field of `values`: its value goes in as it travels.
    const set = operation.op === "Set" && !key.includes(".");
    try {
      object._set({ [key]: set ? values._get(key) : wire[key] }, { ignoreValidation: true });
    } catch (error) {
      // An operation that does not go with the value that is there.
      throw new ProtocolError(
        ErrorCode.INCORRECT_TYPE,
        error instanceof Error ? error.message : String(error),
      );
    }
  }
}

function wireOf(operation: Operation): JsonObject[string] {
  switch (operation.op) {
    case "Set":
      return operation.value;
    case "Delete":
      return { __op: "Delete" };
    case "Increment":
      return { __op: "Increment", amount: operation.amount };
    case "Relation":
      return {
        __op: "Batch",
        ops: [
          { __op: "AddRelation", objects: operation.add },
          { __op: "RemoveRelation", objects: operation.remove },
        ],
      };
    default:
      return { __op: operation.op, objects: operation.objects };
  }
}

/** Puts into a write what the trigger changed; operations that it left alone stay what they were. */
function takeChanges(operations: Record<string, Operation>, asked: JsonObject, wanted: JsonObject): void {
  for (const key of new Set([...Object.keys(asked), ...Object.keys(wanted)])) {
    const value = wanted[key];
    if (value === undefined) delete operations[key];
    else if (!jsonEqual(asked[key], value)) operations[key] = parseOperation(value);
  }
}

const QUERY_PARAMS: ReadonlySet<string> = new Set([
  "where",
  "include",
  "excludeKeys",
  "keys",
  "count",
  "limit",
  "skip",
  "order",
]);

function withoutQueryParams(params: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !QUERY_PARAMS.has(name)));
}

/** The parameters as a client types them; in a query string all of them are text. */
function typedParams(params: Record<string, unknown>): JsonObject {
  const { where, limit, skip, count, include, keys, excludeKeys, order } = params;
  const typed: JsonObject = {};
  const parsed: unknown = typeof where === "string" ? JSON.parse(where) : where;
  if (isJsonObject(parsed)) typed.where = parsed;
  if (limit !== undefined && Number.isFinite(Number(limit))) typed.limit = Number(limit);
  if (skip !== undefined && Number.isFinite(Number(skip))) typed.skip = Number(skip);
  if (count === 1 || count === "1" || count === true || count === "true") typed.count = 1;
  for (const [name, value] of Object.entries({ include, keys, excludeKeys, order })) {
    if (value !== undefined) typed[name] = Array.isArray(value) ? value.join(",") : String(value);
  }
  return typed;
}
