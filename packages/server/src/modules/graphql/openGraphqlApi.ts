import type { FastifyPluginAsync } from "fastify";
import type { z } from "zod";
import type { AuthService } from "../../auth/index.ts";
import type { Cloud } from "../../cloud/index.ts";
import { parseEnvelope } from "../../core/http/envelope.ts";
import type { ParseApiCalls } from "../../core/http/parseApiCalls.ts";
import { requestTarget } from "../../core/http/requestTarget.ts";
import type { RespondInScope } from "../../core/http/respondInScope.ts";
import { EventLoopBudget } from "../../core/limits/eventLoopBudget.ts";
import type { Schemas } from "../../data/schema/schemas.ts";
import type { HttpFacts, Report, SharedSettings } from "../../module/tokens.ts";
import type { LiveQueryServer } from "../../realtime/index.ts";
import type { FileService } from "../files/token.ts";
import { createGraphqlApi, type GraphqlApi } from "./graphqlApi.ts";
import type { GraphqlConfigService } from "./graphqlConfigService.ts";
import { createGraphqlOperations } from "./graphqlOperations.ts";
import type { graphqlSettings } from "./settings.ts";

/** The path of the GraphQL API, and of its WebSockets. */
export const GRAPHQL_PATH = "/graphql";

type Settings = { readonly [Key in keyof typeof graphqlSettings]: z.output<(typeof graphqlSettings)[Key]> };

export interface OpenGraphqlApiDependencies {
  settings: Settings;
  shared: SharedSettings;
  http: HttpFacts;
  parseApi(): ParseApiCalls;
  schemas: Pick<Schemas, "all">;
  accounts: Pick<AuthService, "authenticateSession">;
  files: FileService;
  cloud: Pick<Cloud, "definitions">;
  config: Pick<GraphqlConfigService, "read">;
  live: LiveQueryServer;
  report: Report;
}

/** Opens the GraphQL API over the operations of the Parse API. */
export function openGraphqlApi(dependencies: OpenGraphqlApiDependencies): GraphqlApi {
  const { settings, shared, http, parseApi, schemas, accounts, files, cloud, report } = dependencies;
  const { appId, maxLimit } = shared;
  const loopBudget = new EventLoopBudget();
  return createGraphqlApi({
    classes: () => schemas.all(),
    functionNames: () => [...cloud.definitions().functions].sort(),
    config: () => dependencies.config.read(),
    isIntrospectionPublic: settings.graphqlPublicIntrospection,
    limits: {
      maxDepth: settings.graphqlMaxDepth,
      maxCost: settings.graphqlMaxCost,
      defaultLimit: shared.defaultLimit,
      maxLimit,
      maxBodyBytes: shared.maxBodyBytes,
      maxAnonymousBodyBytes: shared.maxAnonymousBodyBytes,
      maxUploadBytes: files.maxUploadSize,
    },
    maxAnswerBytes: shared.maxAnswerBytes,
    assertCanUpload: (auth) => files.assertCanUpload(auth),
    authenticate: (message) => {
      // Credentials in the query string would be those of a link.
      const envelope = parseEnvelope(message.method ?? "GET", message.headers, "");
      return parseApi().authenticate({ ...envelope, method: "POST" }, message, GRAPHQL_PATH);
    },
    appId,
    live: dependencies.live,
    clientAddressOf: http.clientAddressOf,
    authenticateSocket: (message, headers) =>
      parseApi().authenticate(parseEnvelope("POST", headers, ""), message, GRAPHQL_PATH),
    operationsOf: () =>
      createGraphqlOperations({
        appId,
        parseApi: parseApi(),
        files,
        authenticateSession: accounts.authenticateSession,
        maxLimit,
        loopBudget,
      }),
    memory: http.bodyMemory,
    report: (error, requestId) => report(error, "a request within the GraphQL API", requestId),
  });
}

/** The route of the GraphQL API. */
export function graphqlRoute(api: GraphqlApi, respondInScope: RespondInScope): FastifyPluginAsync {
  return async (app) => {
    app.route({
      method: ["GET", "POST"],
      url: GRAPHQL_PATH,
      config: { api: "graphql" },
      handler: (request, reply) => {
        // As Parse Server answers.
        const { origin } = request.headers;
        if (origin !== undefined)
          reply.header("access-control-allow-origin", origin).header("vary", "Origin");
        const { search } = requestTarget(request);
        respondInScope(reply, (message) => api.handle(message, search === "" ? "" : `?${search}`));
      },
    });
  };
}
