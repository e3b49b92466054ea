import {
  assertClassName,
  type Condition,
  DEFAULT_QUERY_LIMITS,
  ErrorCode,
  isInternalClassName,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Order,
  ProtocolError,
  parseQuery,
  type Query,
  type QueryLimits,
} from "@purse/protocol";
import { type Caller, principalsOf, type RequestContext } from "../caller.ts";
import type { Config } from "../config.ts";
import { type FileUrls, mayHoldFiles } from "../files/fileUrls.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import { relationFields, type Schemas } from "../schema/schemas.ts";
import type { ObjectText, Store, StoreQuery } from "../store/store.ts";
import { idsCondition, includePointers } from "./include.ts";
import { listPieces, mapInSlices } from "./jsonList.ts";
import {
  assertReachable,
  authorise,
  isAllowed,
  NOTHING,
  pointerScope,
  protectedFieldsFor,
} from "./permissions.ts";
import type { ClassRules } from "./rules.ts";
import { prepareSubqueries, searchedFields } from "./subqueries.ts";
import type { Triggers } from "./triggers.ts";

export interface ReadParts {
  store: Store;
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
  triggers: Triggers;
  limits?: QueryLimits;
  /** Fields that the operator hides, by class and principal, beside those that the classes do. */
  protectedFields?: Config["protectedFields"];
  /** Whether clients are told how a query is answered. */
  allowPublicExplain?: boolean;
  fileUrls: FileUrls;
}

export interface Reads {
  find(request: RequestContext, className: string, params: JsonObject): Promise<string>;
  findPieces(request: RequestContext, className: string, params: JsonObject): Promise<string[]>;
  get(request: RequestContext, className: string, objectId: string, params: JsonObject): Promise<string>;
  /** Throws 119 (or 101) where the caller may not ask this of a class, whatever the answer would be. */
  assertFind(request: RequestContext, className: string, where: Condition, order?: Order[]): void;
  /**
   * How objects of a class are shown to callers; undefined where they are shown as they are. `texts` are the
   * objects in question, where they are known.
   */
  presenter(className: string, texts?: readonly (ObjectText | null)[]): Present | undefined;
  /** What narrows the objects of a class for a caller, beside ACLs. */
  scopeOf(className: string, request: RequestContext): Condition | undefined;
}

/** Takes from, or adds to, an object on its way out (a copy that may be changed). */
export type Present = (object: JsonObject, request: RequestContext) => JsonObject | Promise<JsonObject>;

export function createReads(parts: ReadParts): Reads {
  const { store, schemas, rules, triggers, fileUrls } = parts;
  const limits = parts.limits ?? DEFAULT_QUERY_LIMITS;

  function hiddenFrom(schema: ClassSchema, caller: Caller, object?: JsonObject): readonly string[] {
    return protectedFieldsFor(schema, parts.protectedFields?.[schema.className], caller, object);
  }

  async function find(request: RequestContext, className: string, params: JsonObject): Promise<string> {
    return (await findPieces(request, className, params)).join("");
  }

  async function findPieces(
    request: RequestContext,
    className: string,
    params: JsonObject,
  ): Promise<string[]> {
    assertReachable(className, "find", request.caller);
    if (isInternalClassName(className) && !rules.has(className)) return ['{"results":[]}'];
    assertClassName(className);
    rules.get(className)?.beforeRead?.("find", request);
    const beforeFind = triggers.beforeFind(className);
    const { params: wanted, objects } = beforeFind ? await beforeFind(params, request, false) : { params };
    const query = parseQuery(className, wanted, limits);
    if (query.explain && request.caller.kind !== "master" && !parts.allowPublicExplain) {
      throw new ProtocolError(
        ErrorCode.INVALID_QUERY,
        "Using the explain query parameter requires the master key",
      );
    }
    if (objects) {
      const told = await tell(objects, query, className, request, wanted, false);
      return listPieces('{"results":[', told, "]}");
    }
    const operation = query.count && query.limit === 0 ? "count" : "find";
    assertAllowed(request, className, operation, query.where, query.order);
    const asked = redirected(className, query.redirectClassNameForKey);
    if (asked !== className) assertAllowed(request, asked, operation, query.where, query.order);
    const schema = await searchable(asked, query.where);
    const named = asked === className ? "" : `,"className":${JSON.stringify(asked)}`;
    if (!schema) return [query.count ? `{"results":[],"count":0${named}}` : `{"results":[]${named}}`];

    const { where, order, limit, skip, score } = query;
    const mayLag = LAGGING_SOURCES.has(query.readPreference ?? "");
    const scoped = { ...storeQuery(schema, where, request, operation), order, limit, skip, score, mayLag };
    if (query.explain) return [JSON.stringify({ results: await store.explain(scoped) })];
    const [texts, count] = await Promise.all([
      store.find(scoped),
      query.count ? store.count(scoped) : undefined,
    ]);
    const shaped = await shape(texts, query, schema, request, wanted, false);
    const results = asked === className ? shaped : withClassName(shaped, asked);
    return listPieces('{"results":[', results, `]${count === undefined ? "" : `,"count":${count}`}${named}}`);
  }

  /** All of a class that a caller may see and that fulfils a where. */
  function storeQuery(
    schema: ClassSchema,
    where: Condition,
    request: RequestContext,
    operation: "get" | "find" | "count" = "find",
  ): StoreQuery {
    const subqueries = prepareSubqueries(where, {
      find: (query, key) => {
        const className = redirected(query.className, query.redirectClassNameForKey);
        const inner = schemas.get(className);
        if (!inner || !isAllowed(inner, "find", request.caller)) return undefined;
        const asked: Order[] = key === undefined ? [] : [{ path: [key], descending: false }];
        assertAllowed(request, className, "find", query.where, [...query.order, ...asked]);
        const { order, limit, skip } = query;
        return { ...storeQuery(inner, query.where, request), order, limit, skip };
      },
      owner: (condition) => {
        if (request.caller.kind === "master") return undefined;
        const { className, objectId } = condition.object;
        const owner = schemas.get(className);
        if (!owner || !isAllowed(owner, "get", request.caller)) return storeQuery(schema, NOTHING, request);
        if (hiddenFrom(owner, request.caller).includes(condition.key)) {
          throw hiddenField(condition.key, className);
        }
        return storeQuery(owner, idsCondition([objectId]), request, "get");
      },
    });
    return {
      schema,
      where: narrow(where, [
        request.caller.kind === "master" ? undefined : rules.get(schema.className)?.scope?.(request),
        pointerScope(schema, operation, request.caller),
      ]),
      order: [],
      limit: undefined,
      skip: 0,
      principals: principalsOf(request.caller),
      ...(subqueries && { subqueries }),
    };
  }

  /** The class that a key of a class points to, where a query asks for that. */
  function redirected(className: string, key: string | undefined): string {
    if (key === undefined) return className;
    const target = schemas.get(className)?.fields[key]?.targetClass;
    return target ?? className;
  }

  /** The class, with an index for each text search of the where: one is made where it is asked for first. */
  async function searchable(className: string, where: Condition): Promise<ClassSchema | undefined> {
    const schema = schemas.get(className);
    const indexed = (field: string, known: ClassSchema) =>
      Object.values(known.indexes).some((keys) => keys[field] === "text");
    const wanted = searchedFields(where).filter((field) => schema?.fields[field]?.type === "String");
    if (!schema || wanted.every((field) => indexed(field, schema))) return schema;
    return schemas.change(className, (known) => {
      const added = wanted.filter((field) => !indexed(field, known));
      const indexes = added.map((field) => [`${field}_text`, { [field]: "text" as const }]);
      return { ...known, indexes: { ...known.indexes, ...Object.fromEntries(indexes) } };
    });
  }

  async function get(
    request: RequestContext,
    className: string,
    objectId: string,
    params: JsonObject,
  ): Promise<string> {
    assertReachable(className, "get", request.caller);
    assertClassName(className);
    rules.get(className)?.beforeRead?.("get", request);
    const schema = schemas.get(className);
    authorise(schema, "get", request.caller);
    const given = Object.fromEntries(Object.entries(params).filter(([name]) => GET_PARAMS.has(name)));
    const beforeFind = triggers.beforeFind(className);
    const { params: wanted, objects } = beforeFind
      ? await beforeFind({ ...given, where: { objectId } }, request, true)
      : { params: given };
    const query = parseQuery(className, wanted);
    if (objects) {
      const [told] = await tell(objects.slice(0, 1), query, className, request, wanted, true);
      if (told === undefined) throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
      return told;
    }
    const text = schema && (await readOne(schema, objectId, request, beforeFind && query.where));
    if (!schema || text === undefined)
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
    const [shaped] = await shape([text], query, schema, request, wanted, true);
    // A trigger may keep to itself what was found.
    if (shaped === undefined) throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
    return shaped;
  }

  /**
   * Objects that a trigger has answered, as JSON texts. It may have seen more than the caller may:
   * what is stored is read again for whoever is not the operator.
   */
  async function tell(
    objects: JsonObject[],
    query: Query,
    className: string,
    request: RequestContext,
    params: JsonObject,
    isGet: boolean,
  ): Promise<string[]> {
    const schema = schemas.get(className);
    const idOf = ({ objectId }: JsonObject) => (typeof objectId === "string" ? objectId : undefined);
    const ids = objects.flatMap((object) => idOf(object) ?? []);
    const known = new Map<string, ObjectText>();
    if (request.caller.kind !== "master" && schema && ids.length > 0) {
      authorise(schema, isGet ? "get" : "find", request.caller);
      const own = storeQuery(schema, idsCondition(ids), request, isGet ? "get" : "find");
      for (const text of await store.find({ ...own, limit: ids.length }))
        known.set(String(parsed(text).objectId), text);
    }
    const texts = objects.flatMap((object) => {
      const id = idOf(object);
      if (request.caller.kind === "master" || id === undefined) return [JSON.stringify(object)];
      return known.get(id) ?? [];
    });
    return shape(texts, query, schema ?? unknownClass(className), request, params, isGet);
  }

  async function readOne(
    schema: ClassSchema,
    objectId: string,
    request: RequestContext,
    /** What a trigger has made of the search for the id. */
    where: Condition | undefined,
  ): Promise<ObjectText | undefined> {
    const { caller } = request;
    if (where) {
      const query = storeQuery(schema, where, request, "get");
      const [found] = await store.find({ ...query, limit: 1 });
      return found;
    }
    const isScoped =
      caller.kind !== "master" &&
      (rules.get(schema.className)?.scope?.(request) ?? pointerScope(schema, "get", caller)) !== undefined;
    if (!isScoped) return store.get(schema, objectId, principalsOf(caller));
    const query = storeQuery(schema, idsCondition([objectId]), request, "get");
    const [text] = await store.find({ ...query, limit: 1 });
    return text;
  }

  /** The objects as JSON texts. Where nothing is to be changed they pass as they are. */
  async function shape(
    texts: ObjectText[],
    query: Query,
    schema: ClassSchema,
    request: RequestContext,
    params: JsonObject,
    isGet: boolean,
  ): Promise<string[]> {
    const { className } = schema;
    const afterFind = triggers.afterFind(className);
    const present = ownPresenter(className);
    const asStored =
      !present && !afterFind && !query.keys && query.include.length + query.excludeKeys.length === 0;
    const relations = relationFields(schema);
    if (asStored) {
      const shown = await mapInSlices(texts, (text) =>
        mayHoldFiles(text) ? JSON.stringify(whole(text, request)) : text,
      );
      if (relations.length === 0) return shown;
      const tail = `,${JSON.stringify(Object.fromEntries(relations)).slice(1)}`;
      return shown.map((text) => text.slice(0, -1) + tail);
    }
    let objects = await mapInSlices(texts, (text) => {
      const object = { ...whole(text, request), ...Object.fromEntries(relations) };
      return present ? present(object, request) : object;
    });
    if (query.include.length > 0) {
      await includePointers(objects, query.include, (target, ids) => fetchIncluded(target, ids, request));
    }
    if (afterFind) objects = await afterFind(objects, params, request, isGet);
    return mapInSlices(objects, (object) => JSON.stringify(pick(object, query)));
  }

  async function fetchIncluded(
    className: string,
    ids: string[],
    request: RequestContext,
  ): Promise<Map<string, JsonObject>> {
    const schema = schemas.get(className);
    const found = new Map<string, JsonObject>();
    if (!schema || !isAllowed(schema, "get", request.caller)) return found;
    const texts = await store.find({
      ...storeQuery(schema, idsCondition(ids), request, "get"),
      limit: ids.length,
    });
    const present = ownPresenter(className);
    const relations = Object.fromEntries(relationFields(schema));
    for (const text of texts) {
      const stored: JsonObject = { ...whole(text, request), ...relations };
      const object = present ? await present(stored, request) : stored;
      found.set(String(object.objectId), object);
    }
    return found;
  }

  /** An object with the addresses of its files. */
  function whole(text: ObjectText, request: RequestContext): JsonObject {
    return mayHoldFiles(text) ? fileUrls.expand(parsed(text), request) : parsed(text);
  }

  const presenter: Reads["presenter"] = (className, texts) => {
    const present = ownPresenter(className);
    const holdsFiles = texts
      ? texts.some((text) => text !== null && mayHoldFiles(text))
      : Object.values(schemas.get(className)?.fields ?? {}).some(({ type }) => type === "File");
    if (!holdsFiles) return present;
    return (object, request) => {
      const expanded = fileUrls.expand(object, request);
      return present ? present(expanded, request) : expanded;
    };
  };

  function ownPresenter(className: string): Present | undefined {
    const onRead = rules.get(className)?.onRead;
    const isProtected =
      parts.protectedFields?.[className] !== undefined ||
      Object.keys(schemas.get(className)?.classLevelPermissions.protectedFields ?? {}).length > 0;
    if (!onRead && !isProtected) return undefined;
    return (object, request) => {
      const schema = schemas.get(className);
      if (schema) for (const field of hiddenFrom(schema, request.caller, object)) delete object[field];
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
    const hidden = [...hiddenFrom(schema, request.caller), ...(rules.get(className)?.hidden ?? [])];
    if (hidden.length === 0) return;
    const asked = [...fieldsOf(where), ...order.map((part) => part.path[0])];
    const field = asked.find((name) => hidden.includes(name));
    if (field !== undefined) throw hiddenField(field, className);
  }

  const assertFind: Reads["assertFind"] = (request, className, where, order = []) => {
    assertReachable(className, "find", request.caller);
    rules.get(className)?.beforeRead?.("find", request);
    assertAllowed(request, className, "find", where, order);
  };

  const scopeOf: Reads["scopeOf"] = (className, request) => {
    const schema = schemas.get(className);
    if (!schema || request.caller.kind === "master") return undefined;
    const scope = rules.get(className)?.scope?.(request);
    const pointed = pointerScope(schema, "find", request.caller);
    return scope && pointed ? narrow(scope, [pointed]) : (scope ?? pointed);
  };

  return { find, findPieces, get, assertFind, presenter, scopeOf };
}

/** Objects of another class than the one that was asked say so themselves: SDKs make what they are told. */
function withClassName(objects: string[], className: string): string[] {
  return objects.map((text) => JSON.stringify({ ...parsed(text), className }));
}

/** What may be said of an object that is asked for by its id. */
const GET_PARAMS: ReadonlySet<string> = new Set(["include", "keys", "excludeKeys", "includeAll"]);
/** A class of which only the code knows. */
function unknownClass(className: string): ClassSchema {
  return { className, table: "", fields: {}, classLevelPermissions: {}, indexes: {} };
}

function parsed(text: ObjectText): JsonObject {
  return JSON.parse(text);
}

/** Read preferences for which an answer that is a little behind is good enough. */
const LAGGING_SOURCES: ReadonlySet<string> = new Set(["SECONDARY", "SECONDARY_PREFERRED", "NEAREST"]);

function hiddenField(field: string, className: string): ProtocolError {
  return new ProtocolError(
    ErrorCode.OPERATION_FORBIDDEN,
    `This user is not allowed to query ${field} on class ${className}`,
  );
}

function fieldsOf(where: Condition): string[] {
  if ("conditions" in where) return where.conditions.flatMap(fieldsOf);
  return where.kind === "relatedTo" ? [] : [where.path[0]];
}

function narrow(where: Condition, scopes: (Condition | undefined)[]): Condition {
  const given = scopes.filter((scope) => scope !== undefined);
  return given.length === 0 ? where : { kind: "and", conditions: [where, ...given] };
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
function pick(object: JsonObject, { keys, excludeKeys, score }: Query): JsonObject {
  let result = object;
  if (keys) result = keepKeys(object, score ? [...keys, "score"] : keys, true);
  return excludeKeys.length === 0 ? result : dropKeys(result, excludeKeys);
}

/** `whole` objects keep what every object has; what is nested in them has nothing of its own. */
function keepKeys(object: JsonObject, keys: string[], whole: boolean): JsonObject {
  const below = new Map<string, string[]>();
  for (const key of keys) {
    const [head = "", ...rest] = key.split(".");
    const nested = below.get(head) ?? [];
    below.set(head, rest.length > 0 ? [...nested, rest.join(".")] : [...nested, ""]);
  }
  const kept = Object.entries(object).flatMap(([key, value]): [string, JsonValue][] => {
    const nested = below.get(key);
    if (!nested) return whole && ALWAYS.has(key) ? [[key, value]] : [];
    return [[key, nested.includes("") ? value : keepWithin(value, nested)]];
  });
  return Object.fromEntries(kept);
}

function keepWithin(value: JsonValue, keys: string[]): JsonValue {
  if (Array.isArray(value)) return value.map((item) => keepWithin(item, keys));
  if (!isJsonObject(value)) return value;
  // A pointer that leads nowhere stays what it is.
  if ("__type" in value && value.__type !== "Object") return value;
  return keepKeys(value, keys, value.__type === "Object");
}

function dropKeys(object: JsonObject, keys: string[]): JsonObject {
  const entries = Object.entries(object).flatMap(([key, value]): [string, JsonValue][] => {
    if (keys.includes(key) && !ALWAYS.has(key)) return [];
    const below = keys.flatMap((each) => (each.startsWith(`${key}.`) ? [each.slice(key.length + 1)] : []));
    return [[key, below.length > 0 && isJsonObject(value) ? dropKeys(value, below) : value]];
  });
  return Object.fromEntries(entries);
}
