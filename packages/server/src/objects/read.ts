import {
  assertClassName,
  type Condition,
  DEFAULT_QUERY_LIMITS,
  ErrorCode,
  type JsonObject,
  type Order,
  ProtocolError,
  parseQuery,
  type Query,
  type QueryLimits,
} from "@purse/protocol";
import { principalsOf, type RequestContext } from "../caller.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import { relationFields, type Schemas } from "../schema/schemas.ts";
import type { ObjectText, Store } from "../store/store.ts";
import { idsCondition, includePointers } from "./include.ts";
import { authorise, isAllowed, protectedFieldsFor } from "./permissions.ts";
import type { ClassRules } from "./rules.ts";
import type { Triggers } from "./triggers.ts";

export interface ReadParts {
  store: Store;
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
  triggers: Triggers;
  limits?: QueryLimits;
}

export interface Reads {
  find(request: RequestContext, className: string, params: JsonObject): Promise<string>;
  get(request: RequestContext, className: string, objectId: string, params: JsonObject): Promise<string>;
  /** Throws 119 (or 101) where the caller may not ask this of a class, whatever the answer would be. */
  assertFind(request: RequestContext, className: string, where: Condition, order?: Order[]): void;
  /** How objects of a class are shown to callers; undefined where they are shown as they are. */
  presenter(className: string): Present | undefined;
}

/** Takes from, or adds to, an object on its way out (a copy that may be changed). */
export type Present = (object: JsonObject, request: RequestContext) => JsonObject | Promise<JsonObject>;

export function createReads(parts: ReadParts): Reads {
  const { store, schemas, rules, triggers } = parts;
  const limits = parts.limits ?? DEFAULT_QUERY_LIMITS;

  async function find(request: RequestContext, className: string, params: JsonObject): Promise<string> {
    assertClassName(className);
    const schema = schemas.get(className);
    const beforeFind = triggers.beforeFind(className);
    const query = parseQuery(className, beforeFind ? await beforeFind(params, request) : params, limits);
    const operation = query.count && query.limit === 0 ? "count" : "find";
    assertAllowed(request, className, operation, query.where, query.order);
    if (!schema) return query.count ? '{"results":[],"count":0}' : '{"results":[]}';

    const scoped = {
      schema,
      where: narrow(query.where, rules.get(className)?.scope?.(request), request),
      order: query.order,
      limit: query.limit,
      skip: query.skip,
      principals: principalsOf(request.caller),
    };
    const [texts, count] = await Promise.all([
      store.find(scoped),
      query.count ? store.count(scoped) : undefined,
    ]);
    const results = await shape(texts, query, schema, request);
    return count === undefined ? `{"results":[${results}]}` : `{"results":[${results}],"count":${count}}`;
  }

  async function get(
    request: RequestContext,
    className: string,
    objectId: string,
    params: JsonObject,
  ): Promise<string> {
    assertClassName(className);
    const schema = schemas.get(className);
    authorise(schema, "get", request.caller);
    const text = schema && (await readOne(schema, objectId, request));
    if (!schema || text === undefined)
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
    const { include, keys, excludeKeys, includeAll } = params;
    const query = parseQuery(className, { include, keys, excludeKeys, includeAll });
    return shape([text], query, schema, request);
  }

  async function readOne(
    schema: ClassSchema,
    objectId: string,
    request: RequestContext,
  ): Promise<ObjectText | undefined> {
    const principals = principalsOf(request.caller);
    const scope = rules.get(schema.className)?.scope?.(request);
    if (!scope || request.caller.kind === "master") return store.get(schema, objectId, principals);
    const where = narrow(idsCondition([objectId]), scope, request);
    const [text] = await store.find({ schema, where, order: [], limit: 1, skip: 0, principals });
    return text;
  }

  /** The objects as a list of JSON texts, joined by commas. Where nothing is to be changed they pass as they are. */
  async function shape(
    texts: ObjectText[],
    query: Query,
    schema: ClassSchema,
    request: RequestContext,
  ): Promise<string> {
    const { className } = schema;
    const afterFind = triggers.afterFind(className);
    const present = presenter(className);
    const asStored =
      !present && !afterFind && !query.keys && query.include.length + query.excludeKeys.length === 0;
    const relations = relationFields(schema);
    if (asStored) {
      if (relations.length === 0) return texts.join();
      const tail = `,${JSON.stringify(Object.fromEntries(relations)).slice(1)}`;
      return texts.map((text) => text.slice(0, -1) + tail).join();
    }
    let objects = await Promise.all(
      texts.map((text) => {
        const object: JsonObject = { ...JSON.parse(text), ...Object.fromEntries(relations) };
        return present ? present(object, request) : object;
      }),
    );
    if (query.include.length > 0) {
      await includePointers(objects, query.include, (target, ids) => fetchIncluded(target, ids, request));
    }
    if (afterFind) objects = await afterFind(objects, request);
    return objects.map((object) => JSON.stringify(pick(object, query))).join();
  }

  async function fetchIncluded(
    className: string,
    ids: string[],
    request: RequestContext,
  ): Promise<Map<string, JsonObject>> {
    const schema = schemas.get(className);
    const found = new Map<string, JsonObject>();
    if (!schema || !isAllowed(schema, "get", request.caller)) return found;
    const where = narrow(idsCondition(ids), rules.get(className)?.scope?.(request), request);
    const principals = principalsOf(request.caller);
    const texts = await store.find({ schema, where, order: [], limit: ids.length, skip: 0, principals });
    const present = presenter(className);
    for (const text of texts) {
      const stored: JsonObject = JSON.parse(text);
      const object = present ? await present(stored, request) : stored;
      found.set(String(object.objectId), object);
    }
    return found;
  }

  function presenter(className: string): Present | undefined {
    const onRead = rules.get(className)?.onRead;
    const isProtected = schemas.get(className)?.classLevelPermissions.protectedFields !== undefined;
    if (!onRead && !isProtected) return undefined;
    return (object, request) => {
      const schema = schemas.get(className);
      if (schema) for (const field of protectedFieldsFor(schema, request.caller)) delete object[field];
      return onRead ? onRead(object, request) : object;
    };
  }

  /** A where can ask about a hidden field without being shown it: refused. */
  function assertAllowed(
    request: RequestContext,
    className: string,
    operation: "find" | "count",
    where: Condition,
    order: Order[],
  ): void {
    const schema = schemas.get(className);
    authorise(schema, operation, request.caller);
    if (!schema || request.caller.kind === "master") return;
    const hidden = [...protectedFieldsFor(schema, request.caller), ...(rules.get(className)?.hidden ?? [])];
    if (hidden.length === 0) return;
    const asked = [...fieldsOf(where), ...order.map((part) => part.path[0])];
    const field = asked.find((name) => hidden.includes(name));
    if (field === undefined) return;
    throw new ProtocolError(
      ErrorCode.OPERATION_FORBIDDEN,
      `This user is not allowed to query ${field} on class ${className}`,
    );
  }

  const assertFind: Reads["assertFind"] = (request, className, where, order = []) =>
    assertAllowed(request, className, "find", where, order);

  return { find, get, assertFind, presenter };
}

function fieldsOf(where: Condition): string[] {
  if ("conditions" in where) return where.conditions.flatMap(fieldsOf);
  return where.kind === "relatedTo" ? [] : [where.path[0]];
}

function narrow(where: Condition, scope: Condition | undefined, request: RequestContext): Condition {
  if (!scope || request.caller.kind === "master") return where;
  return { kind: "and", conditions: [where, scope] };
}

const ALWAYS: ReadonlySet<string> = new Set([
  "objectId",
  "createdAt",
  "updatedAt",
  "ACL",
  "__type",
  "className",
]);

/** Keeps the keys that were asked for. A dotted key keeps a part of what it leads to. */
function pick(object: JsonObject, query: Query): JsonObject {
  let result = object;
  if (query.keys) {
    const heads = new Set(query.keys.map((key) => key.split(".", 1)[0] ?? ""));
    result = Object.fromEntries(Object.entries(object).filter(([key]) => ALWAYS.has(key) || heads.has(key)));
  }
  if (query.excludeKeys.length === 0) return result;
  return Object.fromEntries(
    Object.entries(result).filter(([key]) => ALWAYS.has(key) || !query.excludeKeys.includes(key)),
  );
}
