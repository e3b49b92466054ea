import { type ChainService, MISSING_ENDPOINTS, type Route, runInGroup } from "@purse/chain";
import {
  assertWithinJsonLimits,
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
} from "@purse/protocol";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { addressKey } from "../core/http/address.ts";
import { type ApiReply, isMethod } from "../core/http/apiRoute.ts";
import { withBody } from "../core/http/body.ts";
import type { BodyMemory } from "../core/http/bodyMemory.ts";
import { ANONYMOUS_JSON_LIMITS } from "../core/http/bodyParser.ts";
import { chunkedReply } from "../core/http/chunkedReply.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import { BROWSER_METHODS } from "../core/http/methods.ts";
import type { AuthenticateDataApi } from "../core/http/moralisApi.ts";
import { guardByApiKey, sendMessageErrors } from "../core/http/moralisApi.ts";
import { addQueryParams } from "../core/http/parseForm.ts";
import { DATA_PATH, DATA_PATHS } from "../core/http/paths.ts";
import { respond } from "../core/http/reply.ts";
import { requestTarget } from "../core/http/requestTarget.ts";
import { type RouteDefinition, Router } from "../core/http/router.ts";
import { AnswerSize } from "../core/limits/answerSize.ts";
import { answerChunks } from "../core/limits/answerText.ts";
import { currentTracer } from "../core/tracing/tracing.ts";
import { missingEndpointError } from "./missingEndpointError.ts";

export interface DataApiDependencies {
  service: ChainService;
  authenticate: AuthenticateDataApi;
  clientAddressOf: ClientAddressOf;
  /** Maximum size of a body in bytes: with an API key or the master key, and without. */
  maxBodyBytes: number;
  maxAnonymousBodyBytes: number;
  /** Maximum size of a response, in bytes. */
  maxAnswerBytes: number;
  memory: BodyMemory;
  report(error: unknown): void;
}

interface DataRoute extends RouteDefinition {
  /** Whether it changes something, although its method may be GET. */
  hasEffects: boolean;
  handle(request: FastifyRequest, pathParams: Record<string, string>): Promise<ApiReply>;
}

/**
 * Creates the endpoints of the data API: plain REST, errors as `{message}`, rate limit usage in headers. Each request
 * passes the API key guard before its body is read, also if there is no such endpoint.
 */
export function createDataApi(dependencies: DataApiDependencies): FastifyPluginAsync {
  const { service, authenticate, clientAddressOf, report } = dependencies;

  // One for both paths of the API and all spellings: to register each with Fastify was a quarter of a start.
  const router = new Router<DataRoute>(
    [
      ...service.routes.map((route) => ({
        method: route.method,
        path: route.path,
        hasEffects: route.refreshes,
        handle: (request: FastifyRequest, pathParams: Record<string, string>) =>
          run(route, request, pathParams),
      })),
      ...MISSING_ENDPOINTS.map(({ method, path, name, reason }) => ({
        method,
        path,
        hasEffects: false,
        async handle() {
          throw missingEndpointError(name, reason);
        },
      })),
    ],
    DATA_PATH,
    { emptyValues: true },
  );
  return async (app) => {
    guardByApiKey(app, authenticate);
    sendMessageErrors(app, report);
    for (const url of ["/", "/*"]) {
      app.route({
        method: BROWSER_METHODS,
        url,
        config: { api: "data" },
        handler: (request, reply) => respond(reply, handle(request)),
      });
    }
  };

  async function handle(request: FastifyRequest): Promise<ApiReply> {
    const { method } = request;
    const { path: fullPath } = requestTarget(request);
    const base = DATA_PATHS.find((each) => fullPath.startsWith(`${each}/`)) ?? "";
    const path = fullPath.slice(base.length);
    const route = findRoute(method, path);
    if (!route) throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, `No endpoint ${method} ${path}`, 404);
    currentTracer()?.setRoute(method, DATA_PATH + route.route.path);
    return route.route.handle(request, route.pathParams);
  }

  /** HEAD finds what GET finds, unless that has effects. */
  function findRoute(method: string, path: string) {
    const routedMethod = method === "HEAD" ? "GET" : method;
    if (!isMethod(routedMethod)) return undefined;
    const match = router.match(routedMethod, path);
    const isFound = match.kind === "found" && !(method === "HEAD" && match.route.hasEffects);
    return isFound ? match : undefined;
  }

  async function run(
    route: Route,
    request: FastifyRequest,
    pathParams: Record<string, string>,
  ): Promise<ApiReply> {
    const { raw: message } = request;
    const { "x-api-key": apiKey, "x-parse-master-key": masterKey } = message.headers;
    const hasKey = apiKey !== undefined || masterKey !== undefined;
    const response = await withBody(
      message,
      hasKey ? dependencies.maxBodyBytes : dependencies.maxAnonymousBodyBytes,
      dependencies.memory,
      (body) => ({
        ...parametersOf(route, requestTarget(request).search, body),
        ...pathParams,
      }),
      (params) => runInGroup(addressKey(clientAddressOf(message)), () => route.runWithStatus(params)),
    );
    const answer = new AnswerSize(dependencies.maxAnswerBytes);
    return chunkedReply(await answerChunks(response.body, answer), { status: response.status });
  }
}

/** Parameters of the query string and of a JSON body, which some endpoints take as one parameter. */
function parametersOf({ bodyParameter }: Route, search: string, body: Buffer): JsonObject {
  const params: JsonObject = {};
  if (search !== "") addQueryParams(params, search);
  if (body.length === 0) return params;
  const value = parseJson(body);
  if (bodyParameter !== undefined) return { ...params, [bodyParameter]: value };
  if (isJsonObject(value)) return { ...params, ...value };
  throw new ProtocolError(ErrorCode.INVALID_JSON, "the body must be a JSON object", 400);
}

function parseJson(body: Buffer): JsonValue {
  try {
    const text = body.toString("utf8");
    assertWithinJsonLimits(text, ANONYMOUS_JSON_LIMITS);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw new ProtocolError(ErrorCode.INVALID_JSON, "the body is not valid JSON", 400);
  }
}
