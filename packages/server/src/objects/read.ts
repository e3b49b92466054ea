import {
  assertClassName,
  type Condition,
  DEFAULT_QUERY_LIMITS,
  ErrorCode,
  isInternalClassName,
  isJsonObject,
  type JsonObject,
  type Order,
  ProtocolError,
  parseQuery,
  type Query,
  type QueryLimits,
} from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import { relationFields, type Schemas } from "../schema/schemas.ts";
import type { ObjectText } from "../store/store.ts";
import { idsCondition, includePointers } from "./include.ts";
import { createIncludedReads } from "./includedReads.ts";
import { listPieces, mapInSlices } from "./jsonList.ts";
import type { ObjectReader } from "./objectReader.ts";
import { NOTHING } from "./permissions.ts";
import { createPick } from "./pick.ts";
import type { Present, Presentation } from "./presentation.ts";
import type { ReadAccess, ReadOperation } from "./readAccess.ts";
import type { ClassRules } from "./rules.ts";
import { createSubqueryTriggers } from "./subqueryTriggers.ts";
import { ensureTextIndexes } from "./textIndexes.ts";
import type { Triggers } from "./triggers.ts";

/** Without the store: objects are only read through `reader`, with scopes of `access`. */
export interface ReadParts {
  access: ReadAccess;
  reader: ObjectReader;
  presentation: Presentation;
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
  triggers: Triggers;
  limits?: QueryLimits;
  /** Whether clients are told how a query is answered. */
  allowPublicExplain?: boolean;
  /** Whether classes are changed by their definitions alone. */
  lockSchemas?: boolean;
}

export interface Reads {
  find(request: RequestContext, className: string, params: JsonObject): Promise<string>;
  findPieces(request: RequestContext, className: string, params: JsonObject): Promise<string[]>;
  get(request: RequestContext, className: string, objectId: string, params: JsonObject): Promise<string>;
  /** Throws 119 (or 101) where the caller may not ask this of a class, whatever the answer would be. */
  assertFind(request: RequestContext, className: string, where: Condition, order?: Order[]): void;
  /**
   * How objects of a class are shown to callers; undefined where they are shown as they are. `texts` are the
   * objects in scoped, where they are known.
   */
  presenter(className: string, texts?: readonly (ObjectText | null)[]): Present | undefined;
  /** What narrows the objects of a class for a caller, beside ACLs. */
  scopeOf(className: string, request: RequestContext): Condition | undefined;
}

/** The answer to a find before it is text. */
interface FindAnswer {
  /** JSON texts. */
  results: string[];
  count?: number;
  /** The class of the results, where it is another one than was asked for. */
  className?: string;
}

export function createReads(parts: ReadParts): Reads {
  const { access, reader, presentation, schemas, rules, triggers } = parts;
  const limits = parts.limits ?? DEFAULT_QUERY_LIMITS;
  const readIncluded = createIncludedReads({ access, reader, presentation, triggers, limits });
  const subqueryTriggers = createSubqueryTriggers({ triggers, schemas, access });

  async function find(request: RequestContext, className: string, params: JsonObject): Promise<string> {
    return (await findPieces(request, className, params)).join("");
  }

  async function findPieces(
    request: RequestContext,
    className: string,
    params: JsonObject,
  ): Promise<string[]> {
    const { results, ...others } = await answerFind(request, className, params);
    // `{}` or `{"count":…}`: what follows the list.
    const tail = JSON.stringify(others).slice(1);
    return listPieces('{"results":[', results, tail === "}" ? "]}" : `],${tail}`);
  }

  async function answerFind(
    request: RequestContext,
    className: string,
    params: JsonObject,
  ): Promise<FindAnswer> {
    access.assertReadable(request, className, "find");
    if (isInternalClassName(className) && !rules.has(className)) return { results: [] };
    assertClassName(className);
    const beforeFind = triggers.beforeFind(className);
    const { params: wanted, objects } = beforeFind ? await beforeFind(params, request, false) : { params };
    let query = parseQuery(className, wanted, limits);
    if (query.explain && request.auth.kind !== "master" && !parts.allowPublicExplain) {
      throw new ProtocolError(
        ErrorCode.INVALID_QUERY,
        "Using the explain query parameter requires the master key",
      );
    }
    if (objects) {
      return { results: await showGiven(objects, query, className, request, wanted, "find") };
    }
    const operation = query.count && query.limit === 0 ? "count" : "find";
    const target = redirectTarget(query);
    if (target !== undefined) return findRedirected(request, query, operation, target, wanted);
    if (subqueryTriggers.applyTo(query.where))
      query = await afterSubqueryTriggers(className, wanted, request);
    const { auth } = request;
    if (auth.kind === "master" && auth.readOnly !== true && !parts.lockSchemas) {
      await ensureTextIndexes(schemas, className, query.where);
    }
    const scope = access.authorizeRead(request, className, operation, query);
    // Counting has class-level permissions of its own.
    const counted =
      query.count && operation === "find" ? access.authorizeRead(request, className, "count", query) : scope;
    if (!scope) return { results: [], ...(query.count && { count: 0 }) };

    const { where, order, limit, skip, score } = query;
    const mayLag = LAGGING_SOURCES.has(query.readPreference ?? "");
    const scoped = { where, order, limit, skip, score, mayLag };
    if (query.explain) {
      const plan = await reader.explain(scope, scoped);
      return { results: (Array.isArray(plan) ? plan : [plan]).map((step) => JSON.stringify(step)) };
    }
    const [texts, count] = await Promise.all([
      reader.find(scope, scoped),
      query.count && counted ? reader.count(counted, where) : undefined,
    ]);
    const results = await show(texts, query, scope.schema, request, wanted, "find");
    return { results, ...(count !== undefined && { count }) };
  }

  /** The query with its sub-queries as the triggers of their classes have changed them. */
  async function afterSubqueryTriggers(
    className: string,
    params: JsonObject,
    request: RequestContext,
  ): Promise<Query> {
    const where: unknown = typeof params.where === "string" ? JSON.parse(params.where) : params.where;
    const changed = await subqueryTriggers.run(isJsonObject(where) ? where : {}, request);
    return parseQuery(className, { ...params, where: changed }, limits);
  }

  /** The class that `redirectClassNameForKey` points to, if it is another one. */
  function redirectTarget({ className, redirectClassNameForKey: key }: Query): string | undefined {
    const target = key === undefined ? undefined : schemas.get(className)?.fields[key]?.targetClass;
    return target === className ? undefined : target;
  }

  /** Finds in the target class like a direct find. Results carry their class name, which SDKs create objects by. */
  async function findRedirected(
    request: RequestContext,
    query: Query,
    operation: ReadOperation,
    target: string,
    params: JsonObject,
  ): Promise<FindAnswer> {
    const { className, where, order, redirectClassNameForKey: key = "" } = query;
    const redirecting: Order = { path: [key], descending: false };
    access.authorizeRead(request, className, operation, { where, order: [...order, redirecting] });
    const { redirectClassNameForKey: _, ...direct } = params;
    const found = await answerFind(request, target, direct);
    const results = await mapInSlices(found.results, (text) => {
      const object: JsonObject = JSON.parse(text);
      return JSON.stringify({ ...object, className: target });
    });
    return { ...found, results, className: target };
  }

  async function get(
    request: RequestContext,
    className: string,
    objectId: string,
    params: JsonObject,
  ): Promise<string> {
    access.assertReadable(request, className, "get");
    assertClassName(className);
    const scope = access.authorizeRead(request, className, "get");
    const given = Object.fromEntries(Object.entries(params).filter(([name]) => GET_PARAMS.has(name)));
    const beforeFind = triggers.beforeFind(className);
    const { params: wanted, objects } = beforeFind
      ? await beforeFind({ ...given, where: { objectId } }, request, true)
      : { params: given };
    const query = parseQuery(className, wanted);
    if (objects) {
      const [shown] = await showGiven(objects.slice(0, 1), query, className, request, wanted, "get");
      if (shown === undefined) throw notFound();
      return shown;
    }
    if (!scope) throw notFound();
    // The trigger may have changed the query.
    const text = beforeFind
      ? (await reader.find(scope, { where: query.where, limit: 1 }))[0]
      : await reader.get(scope, objectId);
    if (text === undefined) throw notFound();
    const [shown] = await show([text], query, scope.schema, request, wanted, "get");
    // A trigger may keep to itself what was found.
    if (shown === undefined) throw notFound();
    return shown;
  }

  /**
   * Objects that a trigger has answered, as JSON texts. It may have seen more than the caller may:
   * what is stored is read again for whoever is not the operator.
   */
  async function showGiven(
    objects: JsonObject[],
    query: Query,
    className: string,
    request: RequestContext,
    params: JsonObject,
    operation: "get" | "find",
  ): Promise<string[]> {
    const schema = schemas.get(className) ?? unknownClass(className);
    const isOperator = request.auth.kind === "master";
    const idOf = ({ objectId }: JsonObject) => (typeof objectId === "string" ? objectId : undefined);
    const ids = objects.flatMap((object) => idOf(object) ?? []);
    const known = new Map<string, ObjectText>();
    const scope =
      isOperator || ids.length === 0 ? undefined : access.authorizeRead(request, className, operation);
    if (scope) {
      for (const text of await reader.find(scope, { where: idsCondition(ids), limit: ids.length })) {
        const { objectId }: JsonObject = JSON.parse(text);
        known.set(String(objectId), text);
      }
    }
    const texts = objects.flatMap((object) => {
      const id = idOf(object);
      if (isOperator || id === undefined) return [JSON.stringify(object)];
      return known.get(id) ?? [];
    });
    return show(texts, query, schema, request, params, operation);
  }

  /** The objects as JSON texts. Where nothing is to be changed they pass as they are. */
  async function show(
    texts: ObjectText[],
    query: Query,
    schema: ClassSchema,
    request: RequestContext,
    params: JsonObject,
    operation: "get" | "find",
  ): Promise<string[]> {
    const { className } = schema;
    const afterFind = triggers.afterFind(className);
    const present = presentation.of(className);
    const asStored =
      !present && !afterFind && !query.keys && query.include.length + query.excludeKeys.length === 0;
    const relations = relationFields(schema);
    if (asStored) {
      const shown = await mapInSlices(texts, (text) => presentation.withFileUrls(text, request));
      if (relations.length === 0) return shown;
      const tail = `,${JSON.stringify(Object.fromEntries(relations)).slice(1)}`;
      return shown.map((text) => text.slice(0, -1) + tail);
    }
    let objects = await mapInSlices(texts, (text) => {
      const object = { ...presentation.parse(text, request), ...Object.fromEntries(relations) };
      return present ? present(object, request) : object;
    });
    if (query.include.length > 0) {
      await includePointers(objects, query.include, (target, ids) => readIncluded(target, ids, request));
    }
    if (afterFind) objects = await afterFind(objects, params, request, operation === "get");
    const pick = createPick(query);
    return mapInSlices(objects, (object) => JSON.stringify(pick(object)));
  }

  const assertFind: Reads["assertFind"] = (request, className, where, order = []) => {
    access.authorizeRead(request, className, "find", { where, order });
  };

  const scopeOf: Reads["scopeOf"] = (className, request) => {
    try {
      return access.authorizeRead(request, className, "find")?.condition;
    } catch (error) {
      if (error instanceof ProtocolError) return NOTHING;
      throw error;
    }
  };

  return { find, findPieces, get, assertFind, presenter: presentation.withFiles, scopeOf };
}

/** What may be said of an object that is asked for by its id. */
const GET_PARAMS: ReadonlySet<string> = new Set(["include", "keys", "excludeKeys", "includeAll"]);

/** Read preferences for which an answer that is a little behind is good enough. */
const LAGGING_SOURCES: ReadonlySet<string> = new Set(["SECONDARY", "SECONDARY_PREFERRED", "NEAREST"]);

/** A class of which only the code knows. */
function unknownClass(className: string): ClassSchema {
  return { className, table: "", fields: {}, classLevelPermissions: {}, indexes: {} };
}

function notFound(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
}
