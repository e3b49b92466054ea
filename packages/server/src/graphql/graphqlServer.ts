import { useAPQ } from "@graphql-yoga/plugin-apq";
import { type DocumentNode, NoSchemaIntrospectionCustomRule } from "graphql";
import { createYoga, type Plugin } from "graphql-yoga";
import { bypassesPermissions } from "../core/authContext.ts";
import type { ApiReply } from "../core/http/apiRoute.ts";
import { limitAnswers } from "./answerSize.ts";
import type { GraphqlContext } from "./context.ts";
import { toClientError, withoutSuggestions } from "./errors.ts";
import { checkCost, checkStructure, type QueryLimits } from "./queryLimits.ts";
import { createRequestGuard } from "./requestGuard.ts";
import { SchemaCache, type SchemaCacheDependencies } from "./schemaCache.ts";
import { TextCache } from "./textCache.ts";

export interface GraphqlServerDependencies extends SchemaCacheDependencies {
  /** Whether clients without the master key may read the schema. */
  isIntrospectionPublic: boolean;
  limits: QueryLimits;
  /** Maximum size of a response, in bytes. */
  maxAnswerBytes: number;
  /** Called with errors whose details clients do not see. */
  report(error: unknown, requestId: string): void;
}

/** A GraphQL request whose sender has been authenticated. */
export interface GraphqlHttpRequest {
  method: "GET" | "POST";
  /** The query string, with its question mark, or empty. */
  search: string;
  contentType: string | undefined;
  body: Uint8Array<ArrayBuffer> | undefined;
  context: GraphqlContext;
}

export interface GraphqlServer {
  execute(request: GraphqlHttpRequest): Promise<ApiReply>;
  schemaCache: SchemaCache;
}

/** Clients of Parse Server get a status of 400 for these. */
const REQUEST_ERRORS: ReadonlySet<unknown> = new Set([
  "GRAPHQL_PARSE_FAILED",
  "GRAPHQL_VALIDATION_FAILED",
  "BAD_USER_INPUT",
  "QUERY_TOO_COMPLEX",
]);

/** Sizes of the cache of parsed documents, which take about 200 bytes per character, and of persisted queries. */
const DOCUMENT_CACHE = { maxChars: 250_000, maxEntryChars: 20_000 };
const PERSISTED_QUERIES = { maxChars: 4_000_000, maxEntryChars: 100_000 };

/** Creates the GraphQL server. */
export function createGraphqlServer(dependencies: GraphqlServerDependencies): GraphqlServer {
  const schemaCache = new SchemaCache(dependencies);
  const yoga = createYoga<GraphqlContext>({
    schema: () => schemaCache.get(),
    graphqlEndpoint: "/graphql",
    landingPage: false,
    graphiql: false,
    cors: false,
    batching: false,
    logging: false,
    multipart: true,
    parserAndValidationCache: {
      documentCache: new TextCache<DocumentNode>({ ...DOCUMENT_CACHE, charsOf: (text) => text.length }),
      errorCache: new TextCache<Error>({ ...DOCUMENT_CACHE, charsOf: (text) => text.length }),
      // Validation depends on who sends the request.
      validationCache: false,
    },
    maskedErrors: {
      maskError: (error) => (error instanceof Error ? error : new Error(String(error))),
    },
    plugins: [
      createRequestGuard(),
      useAPQ({ store: new TextCache<string>({ ...PERSISTED_QUERIES, charsOf: (_, query) => query.length }) }),
      createGuard(dependencies),
      limitAnswers(dependencies.maxAnswerBytes),
    ],
  });
  return {
    schemaCache,
    async execute({ method, search, contentType, body, context }) {
      const response = await yoga.fetch(
        `http://graphql.internal/graphql${search}`,
        {
          method,
          headers: { accept: "application/json", ...(contentType && { "content-type": contentType }) },
          ...(body && { body }),
        },
        context,
      );
      const text = context.largeAnswer.text ?? (await response.text());
      return {
        status: statusOf(response.status, text),
        body: text,
        headers: headersOf(response),
      };
    },
  };
}

function headersOf(response: Response): Record<string, string> {
  const allow = response.headers.get("allow");
  return {
    "content-type": response.headers.get("content-type") ?? "application/json; charset=utf-8",
    ...(allow !== null && { allow }),
  };
}

/** Requests that were not executed are answered with 400. */
function statusOf(status: number, text: string): number {
  if (status !== 200 || !text.startsWith('{"errors"')) return status;
  const { data, errors }: { data?: unknown; errors: { extensions?: { code?: unknown } }[] } =
    JSON.parse(text);
  const isRefused =
    data === undefined && errors.some(({ extensions }) => REQUEST_ERRORS.has(extensions?.code));
  return isRefused ? 400 : 200;
}

/** Refuses what the sender may not execute, and converts errors. */
function createGuard({
  limits,
  isIntrospectionPublic,
  report,
}: GraphqlServerDependencies): Plugin<GraphqlContext> {
  return {
    onValidate({ params, setResult, addValidationRule, context }) {
      if (bypassesPermissions(context.requestContext.auth)) return;
      const rejection = checkStructure(params.documentAST, limits);
      if (rejection) setResult([rejection]);
      if (isIntrospectionPublic) return;
      addValidationRule(NoSchemaIntrospectionCustomRule);
      return ({ result, setResult: replace }) => replace(result.map(withoutSuggestions));
    },
    onExecute({ args, setResultAndStopExecution }) {
      const { auth, requestId } = args.contextValue.requestContext;
      if (!bypassesPermissions(auth)) {
        const { schema, document, operationName, variableValues } = args;
        const rejection = checkCost(schema, document, operationName, variableValues ?? {}, limits);
        if (rejection) setResultAndStopExecution({ errors: [rejection] });
      }
      return {
        onExecuteDone({ result, setResult }) {
          if (!("errors" in result) || !result.errors) return;
          const errors = result.errors.map((error) =>
            toClientError(error, (each) => report(each, requestId)),
          );
          setResult({ ...result, errors });
        },
      };
    },
  };
}
