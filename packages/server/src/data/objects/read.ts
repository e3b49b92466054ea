import {
  assertClassName,
  type Condition,
  DEFAULT_QUERY_LIMITS,
  ErrorCode,
  isInternalClassName,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  type Order,
  ProtocolError,
  parseQuery,
  type Query,
  type QueryLimits,
  withParsedWhere,
} from "@purse/protocol";
import { bypassesPermissions, type RequestContext } from "../../core/authContext.ts";
import { AnswerSize, MAX_ANSWER_BYTES } from "../../core/limits/answerSize.ts";
import { answerTexts, chargeValues } from "../../core/limits/answerText.ts";
import { currentAnswer } from "../../core/limits/requestScope.ts";
import { isTurnUsedUp, ownTurn } from "../../core/limits/timeSlicer.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import type { ObjectText } from "../../database/objectText.ts";
import { mayContainFiles } from "../fileUrls.ts";
import { queryOperation } from "../permissions/classPermissions.ts";
import { MATCH_NOTHING } from "../permissions/pointerPermissions.ts";
import { relationFields } from "../schema/relationFields.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { ClassRules } from "./classRules.ts";
import { explainedQuery } from "./explainedQuery.ts";
import { createFieldSelector } from "./fieldSelector.ts";
import { idsCondition, includePointers } from "./include.ts";
import { withIncludedKeys } from "./includedKeys.ts";
import { createIncludedReads } from "./includedReads.ts";
import { jsonListChunks, mapInSlices } from "./jsonList.ts";
import type { ObjectReader } from "./objectReader.ts";
import { parseObject, whenParsed } from "./parseObject.ts";
import type { ReadAccess, ReadOperation } from "./readAccess.ts";
import { assertRelativeTimes } from "./relativeTimes.ts";
import type { Serialize, Serializer } from "./serializer.ts";
import { createSubqueryTriggers } from "./subqueryTriggers.ts";
import { ensureTextIndexes } from "./textIndexes.ts";
import type { Triggers } from "./triggers.ts";

/** Does not include the store: objects are only read by `reader`, with scopes of `access`. */
export interface ReadDependencies {
  access: ReadAccess;
  reader: ObjectReader;
  serializer: Serializer;
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
  triggers: Triggers;
  limits?: QueryLimits;
  /** Whether clients without the master key may request query plans. */
  allowPublicExplain?: boolean;
  /** Whether classes may only be changed by their definitions. */
  lockSchemas?: boolean;
  /** Whether the first text search of a client creates the text index of a class. */
  clientsIndexTexts?: boolean;
  /** Maximum size of a response, in bytes. */
  maxAnswerBytes?: number;
}

/** How all APIs read objects. All methods reject with ProtocolError. */
export interface ObjectReads {
  /**
   * Returns the JSON text of the response: `{"results":[…],"count"?}`. `params` are in wire format (where, order, …).
   */
  find(request: RequestContext, className: string, params: JsonObject): Promise<string>;
  /** Like `find`, but returns the text in chunks, for large responses. */
  findChunks(request: RequestContext, className: string, params: JsonObject): Promise<string[]>;
  /** Returns the JSON text of the object. `params`: include, keys, excludeKeys. */
  get(request: RequestContext, className: string, objectId: string, params: JsonObject): Promise<string>;
  /** Like `find` and `get`, for callers that would parse the text. */
  findValue(request: RequestContext, className: string, params: JsonObject): Promise<ReadValue>;
  getValue(
    request: RequestContext,
    className: string,
    objectId: string,
    params: JsonObject,
  ): Promise<ReadValue>;
}

export interface Reads extends ObjectReads {
  /** Throws 119 (or 101) if the client may not run this query, regardless of its result. */
  authorizeFind(request: RequestContext, className: string, where: Condition, order?: Order[]): void;
  /**
   * Returns the serializer of a class; undefined if stored objects are returned unchanged. If `texts` are given, only
   * these objects will be serialized.
   */
  serializer(className: string, texts?: readonly (ObjectText | null)[]): Serialize | undefined;
  /** Returns the condition on the objects of a class that a client may read by a query, in addition to ACLs. */
  readCondition(className: string, where: Condition, request: RequestContext): Condition | undefined;
  /**
   * Returns which of these objects a client may read with a query now: by permissions, whether or not they match. Rejects
   * with 119 (or 101) if the client may not run the query.
   */
  readableIds(
    request: RequestContext,
    className: string,
    where: Condition,
    ids: readonly string[],
  ): Promise<ReadonlySet<string>>;
}

/** A response that has not been serialized, with the length of its JSON, about. */
interface ReadValue {
  value: JsonObject;
  chars: number;
}

/** Objects of a response: texts that have been charged to it, or values that have not, with the most chars they can have. */
type Results = { texts: readonly ObjectText[] } | { values: readonly JsonObject[]; knownChars: number };

/** The result of a find before it is serialized. */
interface FindResult {
  results: Results;
  count?: number;
  /** The class of the results, if it differs from the requested one. */
  className?: string;
  /** What the database would do, instead of the objects. */
  plan?: JsonObject;
}

/** A `where` as text, in characters, that takes more than a millisecond to parse. */
const LONG_WHERE = 16 * 1024;

export function createReads(dependencies: ReadDependencies): Reads {
  const { access, reader, serializer, schemas, rules, triggers } = dependencies;
  const limits = dependencies.limits ?? DEFAULT_QUERY_LIMITS;
  const { maxAnswerBytes = MAX_ANSWER_BYTES } = dependencies;
  const readIncluded = createIncludedReads({ access, reader, serializer, triggers, limits });
  const subqueryTriggers = createSubqueryTriggers({ triggers, schemas, access });

  async function find(request: RequestContext, className: string, params: JsonObject): Promise<string> {
    return (await findChunks(request, className, params)).join("");
  }

  async function findChunks(
    request: RequestContext,
    className: string,
    params: JsonObject,
  ): Promise<string[]> {
    const { results, plan, ...others } = await executeFind(request, className, params);
    if (plan) return [JSON.stringify({ results: plan, ...others })];
    // The rest of the response after the list: `{}` or `{"count":…}`.
    const tail = JSON.stringify(others).slice(1);
    const texts = await textsOf(results);
    return jsonListChunks('{"results":[', texts, tail === "}" ? "]}" : `],${tail}`);
  }

  const findValue: Reads["findValue"] = async (request, className, params) => {
    const { results, plan, ...others } = await executeFind(request, className, params);
    const { values, chars } = await valuesOf(results);
    return { value: { results: plan ?? values, ...others }, chars };
  };

  const getValue: Reads["getValue"] = async (request, className, objectId, params) => {
    const { values, chars } = await valuesOf(await executeGet(request, className, objectId, params));
    const [value] = values;
    if (!value) throw notFound();
    return { value, chars };
  };

  function textsOf(results: Results): readonly ObjectText[] | Promise<readonly ObjectText[]> {
    if ("texts" in results) return results.texts;
    return answerTexts(results.values, currentAnswer(maxAnswerBytes), results.knownChars);
  }

  async function valuesOf(results: Results): Promise<{ values: JsonObject[]; chars: number }> {
    if ("texts" in results) {
      const values = await mapInSlices(results.texts, parseObject);
      return { values, chars: charsOf(results.texts) };
    }
    const chars = await chargeValues(results.values, currentAnswer(maxAnswerBytes));
    return { values: [...results.values], chars };
  }

  async function executeFind(
    request: RequestContext,
    className: string,
    sentParams: JsonObject,
  ): Promise<FindResult> {
    access.assertReadable(request, className, "find");
    if (isInternalClassName(className) && !rules.has(className)) return { results: NOTHING };
    assertClassName(className);
    const { where: sentWhere } = sentParams;
    const isLong = typeof sentWhere === "string" && sentWhere.length > LONG_WHERE;
    if (isLong && isTurnUsedUp()) await ownTurn();
    const params = withParsedWhere(sentParams);
    // What follows takes about as long.
    if (isLong && isTurnUsedUp()) await ownTurn();
    const beforeFind = triggers.beforeFind(className);
    const { params: foundParams, objects } = beforeFind
      ? await beforeFind({ limit: limits.defaultLimit, ...params }, request, false)
      : { params };
    const prepareFind = rules.get(className)?.prepareFind;
    const queryParams = prepareFind ? await prepareFind(foundParams, request) : foundParams;
    assertRelativeTimes(queryParams.where, schemas.get(className));
    let query = parseQuery(className, queryParams, limits);
    if (isLong && isTurnUsedUp()) await ownTurn();
    if (query.explain && request.auth.kind !== "master" && !dependencies.allowPublicExplain) {
      throw new ProtocolError(
        ErrorCode.INVALID_QUERY,
        "Using the explain query parameter requires the master key",
      );
    }
    if (objects) {
      return {
        results: await serializeTriggerResults(objects, query, className, request, queryParams, "find"),
      };
    }
    const operation = query.count && query.limit === 0 ? "count" : queryOperation(query.where);
    const target = redirectTarget(query);
    if (target !== undefined) return findRedirected(request, query, operation, target, queryParams);
    if (subqueryTriggers.areNeededFor(query.where))
      query = await applySubqueryTriggers(className, queryParams, request);
    await indexTexts(request, query, operation);
    const scope = access.authorizeRead(request, className, operation, query);
    // Counting is authorized separately.
    const countScope =
      query.count && operation !== "count" ? access.authorizeRead(request, className, "count", query) : scope;
    if (!scope) return { results: NOTHING, ...(query.count && { count: 0 }) };

    const { where, order, limit, skip, includeScore } = query;
    const allowsStaleRead = STALE_READ_PREFERENCES.has(query.readPreference ?? "");
    const scopedQuery = { where, order, limit, skip, includeScore, allowsStaleRead };
    // Called after the other read, which may throw: then nobody would wait for the count.
    const count = () => (query.count && countScope ? reader.count(countScope, where) : undefined);
    if (query.explain) {
      const filter = queryParams.where ?? {};
      const [steps, counted] = await Promise.all([reader.explain(scope, scopedQuery), count()]);
      const plan = explainedQuery({ find: className, filter }, steps, queryParams);
      return { results: NOTHING, plan, ...(counted !== undefined && { count: counted }) };
    }
    const [texts, counted] = await Promise.all([reader.find(scope, scopedQuery), count()]);
    const results = await serializeResults(texts, query, scope.schema, request, queryParams, "find");
    return { results, ...(counted !== undefined && { count: counted }) };
  }

  /** Creates the text indexes that the query needs, if the client may. */
  async function indexTexts(request: RequestContext, query: Query, operation: ReadOperation): Promise<void> {
    const { auth } = request;
    const { className, where } = query;
    if (dependencies.lockSchemas) return;
    if (auth.kind === "master") {
      if (auth.readOnly !== true) await ensureTextIndexes(schemas, className, where, false);
    } else if (dependencies.clientsIndexTexts) {
      // Throws if the client may not read the class.
      access.authorizeRead(request, className, operation, query);
      await ensureTextIndexes(schemas, className, where, true);
    }
  }

  /** Returns the query after the beforeFind triggers of the classes of its sub-queries. */
  async function applySubqueryTriggers(
    className: string,
    params: JsonObject,
    request: RequestContext,
  ): Promise<Query> {
    const where = isJsonObject(params.where) ? params.where : {};
    return parseQuery(className, { ...params, where: await subqueryTriggers.run(where, request) }, limits);
  }

  /** Returns the class that `redirectClassNameForKey` points to, if it is another one. */
  function redirectTarget({ className, redirectClassNameForKey: key }: Query): string | undefined {
    const target = key === undefined ? undefined : schemas.get(className)?.fields[key]?.targetClass;
    return target === className ? undefined : target;
  }

  /** Runs the query on the target class. Results contain their class name, which the SDKs need to create objects. */
  async function findRedirected(
    request: RequestContext,
    query: Query,
    operation: ReadOperation,
    target: string,
    params: JsonObject,
  ): Promise<FindResult> {
    const { className, where, order, redirectClassNameForKey: key = "" } = query;
    const redirecting: Order = { path: [key], descending: false };
    access.authorizeRead(request, className, operation, { where, order: [...order, redirecting] });
    const { redirectClassNameForKey: _, ...direct } = params;
    const found = await executeFind(request, target, direct);
    const withClass = (object: JsonObject) => ({ ...object, className: target });
    const results: Results =
      "texts" in found.results
        ? {
            texts: await mapInSlices(found.results.texts, (text) =>
              JSON.stringify(withClass(JSON.parse(text))),
            ),
          }
        : { ...found.results, values: found.results.values.map(withClass) };
    return { ...found, results, className: target };
  }

  async function get(
    request: RequestContext,
    className: string,
    objectId: string,
    params: JsonObject,
  ): Promise<string> {
    const [text] = await textsOf(await executeGet(request, className, objectId, params));
    // The trigger may have removed the object.
    if (text === undefined) throw notFound();
    return text;
  }

  /** Returns the object, or nothing if a trigger has removed it. */
  async function executeGet(
    request: RequestContext,
    className: string,
    objectId: string,
    params: JsonObject,
  ): Promise<Results> {
    access.assertReadable(request, className, "get");
    assertClassName(className);
    const scope = access.authorizeRead(request, className, "get");
    const getParams = Object.fromEntries(Object.entries(params).filter(([name]) => GET_PARAMS.has(name)));
    const beforeFind = triggers.beforeFind(className);
    const { params: queryParams, objects } = beforeFind
      ? await beforeFind({ ...getParams, where: { objectId } }, request, true)
      : { params: getParams };
    const query = parseQuery(className, queryParams);
    if (objects)
      return serializeTriggerResults(objects.slice(0, 1), query, className, request, queryParams, "get");
    if (!scope) throw notFound();
    // The trigger may have changed the query.
    const text = beforeFind
      ? (await reader.find(scope, { where: query.where, limit: 1 }))[0]
      : await reader.get(scope, objectId);
    if (text === undefined) throw notFound();
    return serializeResults([text], query, scope.schema, request, queryParams, "get");
  }

  /**
   * Serializes objects that a beforeFind trigger returned. The trigger may have read more than the client may, so
   * stored objects are read again unless the client has the master key.
   */
  async function serializeTriggerResults(
    objects: JsonObject[],
    query: Query,
    className: string,
    request: RequestContext,
    params: JsonObject,
    operation: "get" | "find",
  ): Promise<Results> {
    const schema = schemas.get(className) ?? emptySchema(className);
    const seesAll = bypassesPermissions(request.auth);
    const getId = ({ objectId }: JsonObject) => (typeof objectId === "string" ? objectId : undefined);
    const ids = objects.flatMap((object) => getId(object) ?? []);
    const readable = new Map<string, ObjectText>();
    const scope =
      seesAll || ids.length === 0 ? undefined : access.authorizeRead(request, className, operation);
    if (scope) {
      for (const text of await reader.find(scope, { where: idsCondition(ids), limit: ids.length })) {
        const { objectId }: JsonObject = JSON.parse(text);
        readable.set(String(objectId), text);
      }
    }
    const returned = objects.filter((object) => seesAll || getId(object) === undefined);
    const serialized = await answerTexts(returned, new AnswerSize(maxAnswerBytes));
    const textByObject = new Map(returned.map((object, i) => [object, serialized[i] ?? "null"]));
    const texts = objects.flatMap(
      (object) => textByObject.get(object) ?? readable.get(getId(object) ?? "") ?? [],
    );
    return serializeResults(texts, query, schema, request, params, operation);
  }

  /** Returns objects as the response has them: at once if stored texts are passed through, because nothing changes. */
  function serializeResults(
    texts: readonly ObjectText[],
    query: Query,
    schema: ClassSchema,
    request: RequestContext,
    params: JsonObject,
    operation: "get" | "find",
  ): Results | Promise<Results> {
    const { className } = schema;
    const isUnchanged =
      !serializer.forClass(className) &&
      !triggers.afterFind(className) &&
      !query.keys &&
      query.include.length + query.excludeKeys.length === 0;
    if (isUnchanged && relationFields(schema).length === 0 && !texts.some(mayContainFiles)) {
      currentAnswer(maxAnswerBytes).charge(charsOf(texts));
      return { texts };
    }
    return serializeChanged(texts, query, schema, request, params, operation, isUnchanged);
  }

  /** Serializes objects to which something is added, or from which something is removed. */
  async function serializeChanged(
    texts: readonly ObjectText[],
    query: Query,
    schema: ClassSchema,
    request: RequestContext,
    params: JsonObject,
    operation: "get" | "find",
    hasAllFields: boolean,
  ): Promise<Results> {
    const { className } = schema;
    const answer = currentAnswer(maxAnswerBytes);
    const afterFind = triggers.afterFind(className);
    const serialize = serializer.forClass(className);
    const relations = relationFields(schema);
    if (hasAllFields) {
      const serialized = texts.some(mayContainFiles)
        ? await mapInSlices(texts, (text) => serializer.withFileUrls(text, request))
        : texts;
      const tail = relations.length === 0 ? "" : `,${JSON.stringify(Object.fromEntries(relations)).slice(1)}`;
      answer.charge(charsOf(serialized) + serialized.length * tail.length);
      return {
        texts: tail === "" ? serialized : serialized.map((text) => text.slice(0, -1) + tail),
      };
    }
    const relationValues = Object.fromEntries(relations);
    let objects = await mapInSlices(texts, (text) =>
      whenParsed(serializer.parseWithFileUrls(text, request), (stored) => {
        const object = { ...stored, ...relationValues };
        return serialize ? serialize(object, request) : object;
      }),
    );
    await serializer.addFields(className, objects, request);
    const selectFields = createFieldSelector(withIncludedKeys(query, schema));
    let knownChars = charsOf(texts);
    if (query.include.length > 0) {
      knownChars += await includePointers(objects, query.include, {
        fetchObjects: (target, ids) => readIncluded(target, ids, request),
        // Triggers get whole objects.
        selector: afterFind ? undefined : selectFields,
        assertFits: (chars) => answer.assertFits(chars),
      });
    }
    if (!afterFind) return { values: await mapInSlices(objects, selectFields), knownChars };
    const before = new Map(objects.map((object) => [object.objectId, object]));
    objects = await afterFind(objects, params, request, operation === "get");
    // Fields that the trigger sets are sent, whatever the client selects.
    const values = await mapInSlices(objects, (object) =>
      withSetFields(selectFields(object), object, before.get(object.objectId)),
    );
    return { values, knownChars: Number.POSITIVE_INFINITY };
  }

  const authorizeFind: Reads["authorizeFind"] = (request, className, where, order = []) => {
    access.assertReadable(request, className, "find");
    access.authorizeRead(request, className, queryOperation(where), { where, order });
  };

  const readCondition: Reads["readCondition"] = (className, where, request) => {
    try {
      return access.authorizeRead(request, className, queryOperation(where))?.condition;
    } catch (error) {
      if (error instanceof ProtocolError) return MATCH_NOTHING;
      throw error;
    }
  };

  const readableIds: Reads["readableIds"] = async (request, className, where, ids) => {
    const scope = access.authorizeRead(request, className, queryOperation(where));
    if (!scope) return new Set();
    const found = await reader.distinct(scope, idsCondition([...ids]), ["objectId"]);
    return new Set(found.map(String));
  };

  return {
    find,
    findChunks,
    get,
    findValue,
    getValue,
    authorizeFind,
    serializer: serializer.forClassWithFiles,
    readCondition,
    readableIds,
  };
}

const NOTHING: Results = { texts: [] };

/** Adds the fields in which an object differs from what it was before. */
function withSetFields(selected: JsonObject, object: JsonObject, before: JsonObject | undefined): JsonObject {
  if (Object.keys(selected).length === Object.keys(object).length) return selected;
  const isSet = ([name, value]: [string, JsonValue]) =>
    !Object.hasOwn(selected, name) && !jsonEqual(before?.[name], value);
  return { ...selected, ...Object.fromEntries(Object.entries(object).filter(isSet)) };
}

function charsOf(texts: readonly string[]): number {
  let chars = 0;
  for (const text of texts) chars += text.length;
  return chars;
}

/** Query parameters of a request for a single object. */
const GET_PARAMS: ReadonlySet<string> = new Set(["include", "keys", "excludeKeys", "includeAll"]);

/** Read preferences that allow slightly stale results. */
const STALE_READ_PREFERENCES: ReadonlySet<string> = new Set(["SECONDARY", "SECONDARY_PREFERRED", "NEAREST"]);

/** Returns the schema of a class that is only defined by triggers. */
function emptySchema(className: string): ClassSchema {
  return { className, table: "", fields: {}, classLevelPermissions: {}, indexes: {} };
}

function notFound(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
}
