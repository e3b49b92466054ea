import { createHash } from "node:crypto";
import { ErrorCode, isJsonObject, type JsonObject, ProtocolError, parseJson } from "@purse/protocol";
import { type ExecutionResult, execute, GraphQLError } from "graphql";
import type { ApiReply } from "../../core/http/apiRoute.ts";
import { CLIENT_BODY_LIMITS } from "../../core/http/bodyParser.ts";
import { chunkedReply } from "../../core/http/chunkedReply.ts";
import { answerOf } from "./answerSize.ts";
import type { GraphqlContext } from "./context.ts";
import { clientErrors } from "./errors.ts";
import {
  createPrepareOperation,
  type OperationRequest,
  type PrepareDependencies,
  type PrepareOperation,
} from "./prepareOperation.ts";
import { SchemaCache, type SchemaCacheDependencies } from "./schemaCache.ts";
import { TextCache } from "./textCache.ts";

export interface GraphqlServerDependencies
  extends SchemaCacheDependencies,
    Omit<PrepareDependencies, "schemaCache"> {
  /** Maximum size of a response, in bytes. */
  maxAnswerBytes: number;
  /** Called with errors whose details clients do not see. */
  report(error: unknown, requestId: string): void;
}

export interface GraphqlServer {
  /** Executes the operation of a body. Throws ProtocolError if its fields are not those of an operation. */
  executeBody(fields: JsonObject, context: GraphqlContext): Promise<ApiReply>;
  /** Executes the query of a query string; mutations are rejected with 405. */
  executeSearch(search: string, context: GraphqlContext): Promise<ApiReply>;
  prepare: PrepareOperation;
}

/** Size of the cache of persisted queries. */
const PERSISTED_QUERIES = { maxChars: 4_000_000, maxEntryChars: 100_000 };
const HEADERS = { "content-type": "application/json; charset=utf-8" };

/** Creates the GraphQL server. */
export function createGraphqlServer(dependencies: GraphqlServerDependencies): GraphqlServer {
  const { report } = dependencies;
  const prepare = createPrepareOperation({ ...dependencies, schemaCache: new SchemaCache(dependencies) });
  const persistedQueries = new TextCache<string>({
    ...PERSISTED_QUERIES,
    charsOf: (_, query) => query.length,
  });

  /** Returns an operation with its document, which a client may name by its hash once the server knows it (Apollo). */
  function withPersistedQuery(fields: JsonObject): OperationRequest | ApiReply {
    const { extensions } = fields;
    const { persistedQuery } = isJsonObject(extensions) ? extensions : {};
    const { version, sha256Hash } = isJsonObject(persistedQuery) ? persistedQuery : {};
    if (version !== 1 || typeof sha256Hash !== "string") return requestOf(fields);
    if (fields.query === undefined || fields.query === null) {
      const query = persistedQueries.get(sha256Hash);
      if (query === undefined) return rejection(404, "PersistedQueryNotFound", "PERSISTED_QUERY_NOT_FOUND");
      return requestOf({ ...fields, query });
    }
    const request = requestOf(fields);
    if (createHash("sha256").update(request.query).digest("hex") !== sha256Hash)
      return rejection(400, "PersistedQueryMismatch", "PERSISTED_QUERY_MISMATCH");
    persistedQueries.set(sha256Hash, request.query);
    return request;
  }

  /** Clients of Parse Server get a status of 400 for operations that were not executed. */
  async function replyOf(result: ExecutionResult): Promise<ApiReply> {
    const status = "data" in result ? 200 : 400;
    return chunkedReply(await answerOf(result, dependencies.maxAnswerBytes), { status, headers: HEADERS });
  }

  async function executeFields(
    fields: JsonObject,
    context: GraphqlContext,
    isReadOnly: boolean,
  ): Promise<ApiReply> {
    const request = withPersistedQuery(fields);
    if ("status" in request) return request;
    const { requestContext } = context;
    const prepared = await prepare(request, requestContext);
    if (!("args" in prepared)) return replyOf({ errors: prepared });
    if (isReadOnly && prepared.operation.operation !== "query") {
      const reply = rejection(405, "Only queries may be sent with GET.", "BAD_REQUEST");
      return { ...reply, headers: { ...reply.headers, allow: "POST" } };
    }
    if (prepared.operation.operation === "subscription")
      return replyOf({ errors: [new GraphQLError("Subscriptions need a WebSocket.")] });
    const contextValue: GraphqlContext = { ...context, lists: prepared.openLists() };
    const result = await execute({ ...prepared.args, contextValue });
    const errors =
      result.errors && clientErrors(result.errors, (error) => report(error, requestContext.requestId));
    return replyOf({ ...(errors && { errors }), ...("data" in result && { data: result.data }) });
  }

  return {
    prepare,
    executeBody: (fields, context) => executeFields(fields, context, false),
    async executeSearch(search, context) {
      const params = new URLSearchParams(search);
      const limits = CLIENT_BODY_LIMITS[context.requestContext.auth.kind];
      const jsonOf = (name: string) => {
        const text = params.get(name);
        return text === null ? undefined : parseParameter(name, text, limits);
      };
      const [query, operationName] = [params.get("query"), params.get("operationName")];
      const [variables, extensions] = [jsonOf("variables"), jsonOf("extensions")];
      return executeFields(
        {
          ...(query !== null && { query }),
          ...(operationName !== null && { operationName }),
          ...(variables && { variables }),
          ...(extensions && { extensions }),
        },
        context,
        true,
      );
    },
  };
}

function parseParameter(
  name: string,
  text: string,
  limits: Parameters<typeof parseJson>[1],
): JsonObject | undefined {
  let value: unknown;
  try {
    value = parseJson(text, limits);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
  }
  if (isJsonObject(value)) return value;
  throw new ProtocolError(ErrorCode.INVALID_JSON, `${name} must be a JSON object`, 400);
}

function requestOf({ query, variables, operationName }: JsonObject): OperationRequest {
  const invalid = (message: string) => new ProtocolError(ErrorCode.INVALID_JSON, message, 400);
  if (typeof query !== "string") throw invalid("query must be a string");
  const hasVariables = variables !== undefined && variables !== null;
  if (hasVariables && !isJsonObject(variables)) throw invalid("variables must be an object");
  const hasName = operationName !== undefined && operationName !== null;
  if (hasName && typeof operationName !== "string") throw invalid("operationName must be a string");
  return {
    query,
    ...(hasVariables && { variables }),
    // Some clients send an empty name.
    ...(hasName && operationName !== "" && { operationName }),
  };
}

function rejection(status: number, message: string, code: string): ApiReply {
  const errors = [new GraphQLError(message, { extensions: { code } })];
  return { status, body: JSON.stringify({ errors }), headers: HEADERS };
}
